import { destination, pino, stdTimeFunctions } from "pino";
import type { DestinationStream, Level } from "pino";
import type { Log } from "../queue/log.ts";

export interface LoggerOptions {
  level: Level;
  format: "json" | "text";
  /** Fields of every line, asked as it is written: what the line is part of. */
  context?: () => Record<string, unknown>;
  /** Default: standard error, written at once so that a crash loses nothing. */
  stream?: DestinationStream;
}

/**
 * The log, with the keys that controller-runtime's JSON log has, so that existing queries fit: `level`, `ts`, `msg`,
 * `error`, `stacktrace`; lines of a reconcile have `controller`, `controllerGroup`, `controllerKind`, the kind
 * with `name` and `namespace`, `namespace`, `name`, `reconcileID`, and while traces are made `trace_id` and `span_id`.
 *
 * Fields that carry secrets by name are never written; text is scrubbed where it arises (api/scrub.ts).
 */
export function createLogger(options: LoggerOptions): Log {
  const { level, format, context, stream = destination({ fd: 2, sync: true }) } = options;
  return pino(
    {
      level,
      base: null,
      errorKey: "error",
      ...(context && { mixin: context }),
      // `isoTime` calls the field `time`; the name is all that differs.
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
 * The same without what such a name carries, however deep; a copy where there is any. pino's own way went through 39 paths for
 * each line, three deep: a quarter of all that a creation allocated.
 */
function withoutSecrets(fields: Fields, known = new Map<object, unknown>()): Fields {
  // What leads back to itself.
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

/** What one of the two APIs has answered: where it was thrown says nothing. */
const answered = new Set(["HttpError", "KubeError"]);

/** An error becomes `error`, its messages, and `stacktrace`. */
function withError(fields: Fields): Fields {
  const { error } = fields;
  if (!(error instanceof Error)) return fields;
  const { stack: stacktrace } = error;
  return { ...fields, error: messages(error), ...(!answered.has(error.name) && { stacktrace }) };
}

function messages(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messages(error.cause)}` : error.message;
}

/** `12:00:00.000 INFO  message  key=value …`, for a person at a terminal. */
function asText(line: string): string {
  const { level, ts, msg, ...rest } = JSON.parse(line) as { msg?: string } & Record<string, unknown>;
  const said = "key" in rest ? withoutRepetition(rest) : rest;
  const fields = Object.entries(said).map(([key, value]) => `${key}=${shown(value)}`);
  const time = String(ts).slice(11, 23);
  return `${[time, String(level).toUpperCase().padEnd(5), msg ?? "", ...fields].join(" ")}\n`;
}

/** Queries want the object in each of these fields; a person reads it in `key`. */
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
