import type { OpenApiDocument, OpenApiSchema } from '@muster/contract';
import { type DocumentedOperation, nameOf, operationsOf, shapeOf } from './read-operations.ts';

/** A call of an operation, with its input inline and with its input as a typed constant. */
export function exampleOf(
  operation: DocumentedOperation,
  document: OpenApiDocument,
): { readonly asCall: string; readonly asType: string } {
  const { inputName } = shapeOf(operation);
  const input = inputLiteral(operation, document);
  return {
    asCall: callWith(operation, document, input),
    asType: `const input: ${inputName} = ${input ?? '{}'};\n${callWith(operation, document, 'input')}`,
  };
}

/** An example of a schema: as an answer, as a body, or as a part of one. */
export function schemaExampleOf(name: string, document: OpenApiDocument): string {
  const special = metInside[name];
  if (special !== undefined) return special;
  const operations = operationsOf(document);
  const variable = decapitalize(name);
  const answering = operations.find((one) => shapeOf(one).answer === name && shapeOf(one).answers === 'json');
  if (answering !== undefined) {
    return `const ${variable}: ${name} = await ${expressionOf(answering, inputLiteral(answering, document))};`;
  }
  const listing = operations.find((one) => shapeOf(one).answer === name);
  if (listing !== undefined) {
    const page = `${expressionOf(listing, inputLiteral(listing, document))}.first()`;
    return `const { items }: { items: ${name}[] } = await ${page};`;
  }
  const taking = operations.find((one) => shapeOf(one).body === name);
  if (taking === undefined)
    throw new Error(`no operation takes or answers ${name}: write an example for it here`);
  const body = literalOf({ $ref: `#/components/schemas/${name}` }, document);
  return `const body: ${name} = ${body};\nawait ${expressionOf(taking, `{ ${[...idsOf(taking), 'body'].join(', ')} }`)};`;
}

/** Schemas that no operation uses directly. */
const metInside: Readonly<Record<string, string>> = {
  EarlierValue:
    'const { earlierValues }: { earlierValues: EarlierValue[] } = await getToken(client, { tokenID });',
  Actor: 'const { createdBy }: { createdBy: Actor } = await getToken(client, { tokenID });',
  AlertChannelEvent: 'const describe = ({ type, name }: AlertChannelEvent) => [type, name];',
  AlertRuleEvent: 'const describe = ({ type, name }: AlertRuleEvent) => [type, name];',
  AgentErrorGroupEvent: 'const describe = ({ type, pattern }: AgentErrorGroupEvent) => [type, pattern];',
  AgentErrorResult:
    "const body = [{ error: 'disk full' }];\nconst { items }: { items: AgentErrorResult[] } = await createAgentError(client, { agentID, body });",
  AgentErrorsEvent: 'const describe = ({ type, count }: AgentErrorsEvent) => [type, count];',
  AgentEvent: 'const describe = ({ type, name }: AgentEvent) => [type, name];',
  AgentStatusEvent: 'const describe = ({ status, count }: AgentStatusEvent) => [status, count];',
  OpenAgentError:
    'const { openError }: { openError: OpenAgentError | null } = await getAgent(client, { agentID });',
  CoreInstanceEvent: 'const describe = ({ type, name }: CoreInstanceEvent) => [type, name];',
  SearchResult: 'const describe = ({ id, name }: SearchResult) => [id, name];',
  FleetConfigFinding: 'const describe = ({ line, message }: FleetConfigFinding) => [line, message];',
  FleetSecret: 'const { secrets }: { secrets: FleetSecret[] } = await listFleetSecrets(client, { fleetID });',
  FleetEvent: 'const describe = ({ type, name }: FleetEvent) => [type, name];',
  RolloutEvent: 'const describe = ({ type, name, version }: RolloutEvent) => [type, name, version];',
  FreezeWindow:
    "const window: FreezeWindow = { name: 'nights', weekdays: ['fri'], from: '18:00', to: '08:00', zone: 'Europe/Berlin' };",
  RolloutStageRule: "const stage: RolloutStageRule = { agents: '10%', soakSeconds: 600 };",
  CoreInstanceErrors: 'const count = ({ errors }: CoreInstanceErrors) => errors.length;',
  CoreInstanceHeartbeat: 'const describe = ({ kind, at }: CoreInstanceHeartbeat) => [kind, at];',
  CoreInstanceItem: "const isOfErrors = ({ kind }: CoreInstanceItem) => kind === 'errors';",
  CoreInstancePoll: 'const describe = ({ handle, downloaded }: CoreInstancePoll) => [handle, downloaded];',
  CoreInstanceRegistration: 'const describe = ({ agentID, at }: CoreInstanceRegistration) => [agentID, at];',
  CoreInstanceReport:
    'const describe = ({ version, lostCount }: CoreInstanceReport) => [version, lostCount];',
  CoreInstanceUpdate: 'const describe = ({ agentID, at }: CoreInstanceUpdate) => [agentID, at];',
  CreateAgentError:
    "const body: CreateAgentError = { error: 'disk full' };\nawait createAgentError(client, { agentID, body });",
  DismissalEvent: 'const describe = ({ type, errorsCount }: DismissalEvent) => [type, errorsCount];',
  DismissalFilter:
    "const filter: DismissalFilter = { q: 'connection refused' };\nawait createDismissal(client, { projectID, body: { reason: 'Firewall opened', filter } });",
  DismissalPreview:
    "const body = { reason: 'Firewall opened', filter: { q: 'connection refused' }, dryRun: true };\nconst preview: Dismissal | DismissalPreview = await createDismissal(client, { projectID, body });\nconsole.log(preview.errorsCount);",
  DismissalUndo:
    'const { undo }: { undo: DismissalUndo | null } = await undoDismissal(client, { dismissalID });',
  MemberEvent: 'const describe = ({ type, name, role }: MemberEvent) => [type, name, role];',
  ProvisioningChange:
    "const body = { projects: [{ name: 'edge' }], dryRun: true };\nconst { changes }: { changes: ProvisioningChange[] } = await applyProvisioning(client, { body });",
  ProjectEvent: "const isOfAgent = ({ type }: ProjectEvent) => type.startsWith('agent.');",
  ProjectUpdatedEvent: 'const describe = ({ type, name }: ProjectUpdatedEvent) => [type, name];',
  ResetEvent: 'const describe = ({ at }: ResetEvent) => at;',
  TokenLeak:
    "const leak: TokenLeak = { token: 'the whole value', url: 'https://git.example/fleet/agent.yaml' };\nawait reportTokenLeaks(client, { body: [leak] });",
  TokenLeakEvent: 'const describe = ({ name, source, revoked }: TokenLeakEvent) => [name, source, revoked];',
  TokenEvent: 'const describe = ({ type, name }: TokenEvent) => [type, name];',
  Problem:
    'const explain = ({ detail, fields = [] }: Problem) => [detail, ...fields.map(({ message }) => message)];\nawait getMe(client).catch((error) => console.error(error instanceof MusterError && explain(error.problem)));',
};

function callWith(
  operation: DocumentedOperation,
  document: OpenApiDocument,
  input: string | undefined,
): string {
  const { answer, answers, isReport } = shapeOf(operation);
  const expression = expressionOf(operation, input);
  if (isReport) return `const { outcome } = await ${expression};\nconsole.log(outcome);`;
  if (answers === 'nothing') return `await ${expression};`;
  const variable =
    answer in document.components.schemas ? decapitalize(answer) : answers === 'text' ? 'text' : 'object';
  const [property] = Object.keys(document.components.schemas[answer]?.properties ?? {});
  const shown = property === undefined ? variable : `${variable}.${property}`;
  return answers === 'page'
    ? `for await (const ${variable} of ${expression}) console.log(${shown});`
    : `const ${variable} = await ${expression};\nconsole.log(${shown});`;
}

function expressionOf({ operationId }: DocumentedOperation, input: string | undefined): string {
  return `${operationId}(client${input === undefined ? '' : `, ${input}`})`;
}

/** Undefined if the operation has no required input. */
function inputLiteral(operation: DocumentedOperation, document: OpenApiDocument): string | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const { body } = shapeOf(operation);
  const fields = [
    ...idsOf(operation),
    ...(schema === undefined ? [] : [`body: ${literalOf(schema, document)}`]),
    ...(schema === undefined && body !== undefined ? ['body: bytes'] : []),
  ];
  return fields.length === 0 ? undefined : `{ ${fields.join(', ')} }`;
}

function idsOf(operation: DocumentedOperation): string[] {
  return shapeOf(operation).pathParameters.map(({ name, schema }) =>
    schema.format === 'uuid' ? name : `${name}: 'web-01'`,
  );
}

const maxOptionalFields = 2;

/** The required fields, and a few of the optional fields that have an example. */
function literalOf(schema: OpenApiSchema, document: OpenApiDocument): string {
  if (schema.$ref !== undefined)
    return literalOf(document.components.schemas[nameOf(schema.$ref)] ?? {}, document);
  if (schema.anyOf?.[0] !== undefined) return literalOf(schema.anyOf[0], document);
  if (schema.examples !== undefined) return textOf(schema.examples[0]);
  if (schema.items?.$ref !== undefined) return `[${literalOf(schema.items, document)}]`;
  if (schema.properties === undefined) return textOf(null);
  const { required = [] } = schema;
  const entries = Object.entries(schema.properties);
  const optional = entries.filter(
    ([name, { examples }]) => !required.includes(name) && examples !== undefined,
  );
  const shown = new Set([...required, ...optional.slice(0, maxOptionalFields).map(([name]) => name)]);
  const fields = entries.filter(([name]) => shown.has(name));
  return `{ ${fields.map(([name, field]) => `${name}: ${literalOf(field, document)}`).join(', ')} }`;
}

/** JSON in the style of this code base. */
function textOf(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${textOf(inner)}`)
      .join(', ')} }`;
  }
  return JSON.stringify(value);
}

function decapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
