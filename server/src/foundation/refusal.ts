/** What services throw. It is shared with core instances, which answer agents in the same words. */
export { bodyTooLarge, invalidBody, Refusal, UntoldRefusal } from '@muster/http/refusal';
