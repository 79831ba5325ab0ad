/** A line that is a JSON object, as loggers of the OpenTelemetry Collector, Fluentd and Vector write it. */
export interface JsonLine {
  readonly level: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined when the line is not a JSON object with a level and a message. */
export function readJsonLine(line: string): JsonLine | undefined {
  const fields = parseObject(line);
  if (fields === undefined) return undefined;
  const level = firstText(fields, ['level', 'severity', 'log.level', 'levelname', 'lvl']);
  const message = firstText(fields, ['msg', 'message', 'log', 'event', 'error', 'err']);
  if (level === undefined || message === undefined) return undefined;
  return { level, text: describe(message, fields) };
}

/** A message and the JSON object after it. When it is not one, both stay as they are. */
export function readFields(message: string, json: string): string {
  const fields = parseObject(json);
  return fields === undefined ? `${message} ${json}` : describe(message, fields);
}

/** `[component] message: error` and the stack; other fields count and time things, and would make repeats differ. */
function describe(message: string, fields: Fields): string {
  const component = firstText(fields, [
    'otelcol.component.id',
    'component_id',
    'name',
    'component',
    'plugin_id',
  ]);
  const error = firstText(fields, ['error', 'err', 'error_message', 'exception', 'errorCauses']);
  const stack = firstText(fields, ['stacktrace', 'stack', 'stack_trace', 'exception.stacktrace']);
  const isSaid = error === undefined || message.includes(error);
  const cause = isSaid ? '' : `${/[.:!]$/.test(message) ? '' : ':'} ${error}`;
  return `${component === undefined ? '' : `[${component}] `}${message}${cause}${stack === undefined ? '' : `\n${stack}`}`;
}

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  }
  return undefined;
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Fields; // any object can be read by name
  } catch {
    return undefined;
  }
}
