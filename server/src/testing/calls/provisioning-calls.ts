import {
  type AppliedProvisioning,
  type ApplyProvisioning,
  formatProjectToken,
  type Problem,
} from '@muster/contract';
import { expect } from 'vitest';
import type { TestApp } from '../start-test-app.ts';

/** Calls of a test about provisioning. */
export function provisioningCalls(appOf: () => TestApp) {
  let count = 0;

  /** An id that is not used yet. */
  function newID(): string {
    count += 1;
    return `0192f0a0-7b1c-7c3a-9d52-${`${count}`.padStart(12, '0')}`;
  }

  /** A new value of a token, with its id. */
  function newValue(projectID: string, tokenID = newID()) {
    count += 1;
    const random = new Uint8Array(32);
    new DataView(random.buffer).setUint32(0, count);
    return { tokenID, value: formatProjectToken({ projectID, tokenID }, random) };
  }

  async function apply(body: ApplyProvisioning, access = appOf().admin, to = appOf()) {
    return to.request<AppliedProvisioning & Problem>('POST', '/v1/provisioning', { as: { access }, body });
  }

  /** What an application has changed, in words. */
  async function applied(body: ApplyProvisioning, access = appOf().admin, to = appOf()) {
    const { status, body: answer } = await apply(body, access, to);
    expect(answer).toMatchObject({ dryRun: body.dryRun ?? false });
    expect(status).toBe(200);
    return answer.changes.map(({ action, resource, name, reason }) =>
      [action, resource, name, ...(reason === null ? [] : [reason])].join(' '),
    );
  }

  function asAdmin<Body>(method: string, url: string, body?: object) {
    return appOf().request<Body>(method, url, { as: { access: appOf().admin }, ...(body && { body }) });
  }

  /** A project with a token, made from a file. */
  async function provisioned(fields: object = {}) {
    const id = newID();
    const { value, tokenID } = newValue(id);
    const project = { name: `edge ${id}`, tokens: [{ name: 'agents', value, ...fields }] };
    await applied({ projects: [project] });
    return { id, tokenID, value, project };
  }

  return { newID, newValue, apply, applied, asAdmin, provisioned };
}
