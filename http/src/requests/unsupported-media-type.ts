import type { RouteBody } from '@muster/contract';
import { Refusal } from '../refusal.ts';

/** The refusal of a body with another media type than a route takes. */
export function unsupportedMediaType({
  mediaType,
  otherForms = {},
}: Pick<RouteBody, 'mediaType' | 'otherForms'>): Refusal {
  const types = [mediaType, ...Object.keys(otherForms)].join(' or ');
  return new Refusal('unsupported_media_type', {
    detail: `The body must be sent as Content-Type: ${types}.`,
  });
}
