import { destination, pino, stdTimeFunctions } from "pino";
import type { DestinationStream, Level } from "pino";
import type { Log } from "../queue/log.ts";

export interface LoggerOptions {
  level: Level;
  format: "json" | "text";
  /** Returns fields for every line, such as the fields of the current reconcile. */
  context?: () => Record<string, unknown>;
  /** Default: standard error, written synchronously, so that a crash loses no line. */
  stream?: DestinationStream;
}

/**
 * Creates the log, with the keys of controller-runtime's JSON log, to fit existing queries: `level`, `ts`, `msg`,
 * `error`, `stacktrace`. Lines of a reconcile have `controller`, `controllerGroup`, `controllerKind`, the kind with
 * `name` and `namespace`, `namespace`, `name`, `reconcileID`, and, with traces, `trace_id` and `span_id`.
 *
 * Never writes fields with the name of a secret. `api/scrub.ts` removes secrets from texts.
 */
export function createLogger(options: LoggerOptions): Log {
  const { level, format, context, stream = destination({ fd: 2, sync: true }) } = options;
  return pino(
    {
      level,
      base: null,
      errorKey: "error",
      ...(context && { mixin: context }),
      // `isoTime` names the field `time`; the value is right.
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"ts"'),
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => withoutSecrets(withError(fields)),
      },
    },
    format === "json" ? stream : { write: (line) => stream.write(asText(line)) },
  );
}

const secretNames = new Set([
  "token",
  "password",
  "root_pass",
  "rootPassword",
  "secret_key",
  "secretKey",
  "authorization",
  "Authorization",
  "privateKey",
  "private_key",
  "answer",
  "otp_code",
  "upload_to",
]);

type Fields = Record<string, unknown>;

/**
 * Removes the values of secret names at any depth. Returns a copy if a value was removed. pino's `redact` looked up 39
 * paths for each line, three levels deep: a quarter of the allocations of a create.
 */
function withoutSecrets(fields: Fields, known = new Map<object, unknown>()): Fields {
  // A circular reference.
  known.set(fields, "(circular)");
  let copy: Fields | undefined;
  for (const [name, value] of Object.entries(fields)) {
    let shown = value;
    if (secretNames.has(name) && value !== undefined) shown = "(redacted)";
    else if (typeof value === "object" && value !== null)
      shown = known.get(value) ?? withoutSecrets(value as Fields, known);
    if (shown === value) continue;
    copy ??= (Array.isArray(fields) ? [...(fields as unknown[])] : { ...fields }) as Fields;
    copy[name] = shown;
  }
  known.set(fields, copy ?? fields);
  return copy ?? fields;
}

/** Errors for a response of the two APIs. The stack trace does not help the user. */
const answered = new Set(["HttpError", "KubeError"]);

/** Replaces an error by `error`, with the messages of its causes, and `stacktrace`. */
function withError(fields: Fields): Fields {
  const { error } = fields;
  if (!(error instanceof Error)) return fields;
  const { stack: stacktrace } = error;
  return { ...fields, error: messages(error), ...(!answered.has(error.name) && { stacktrace }) };
}

function messages(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messages(error.cause)}` : error.message;
}

/** Formats a line for a terminal: `12:00:00.000 INFO  message  key=value …`. */
function asText(line: string): string {
  const { level, ts, msg, ...rest } = JSON.parse(line) as { msg?: string } & Record<string, unknown>;
  const said = "key" in rest ? withoutRepetition(rest) : rest;
  const fields = Object.entries(said).map(([key, value]) => `${key}=${shown(value)}`);
  const time = String(ts).slice(11, 23);
  return `${[time, String(level).toUpperCase().padEnd(5), msg ?? "", ...fields].join(" ")}\n`;
}

/** Removes fields that repeat the key. Queries need the fields; at a terminal, `key` is enough. */
function withoutRepetition(fields: Fields): Fields {
  const repeated = new Set([
    "controller",
    "controllerGroup",
    "controllerKind",
    String(fields["controllerKind"]),
    "namespace",
    "name",
  ]);
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !repeated.has(field)));
}

function shown(value: unknown): string {
  if (typeof value === "string" && !/[\s"=]/.test(value)) return value;
  return JSON.stringify(value);
}
