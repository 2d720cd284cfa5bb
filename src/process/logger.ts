import { destination, pino, stdTimeFunctions } from "pino";
import type { DestinationStream, Level, Logger } from "pino";

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
export function createLogger(options: LoggerOptions): Logger {
  const { level, format, context, stream = destination({ fd: 2, sync: true }) } = options;
  return pino(
    {
      level,
      base: null,
      errorKey: "error",
      ...(context && { mixin: context }),
      // `isoTime` calls the field `time`; the name is all that differs.
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"ts"'),
      formatters: { level: (label) => ({ level: label }), log: withError },
      redact: { paths: secretPaths, censor: "(redacted)" },
    },
    format === "json" ? stream : { write: (line) => stream.write(asText(line)) },
  );
}

const secretNames = [
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
];

/** A name at the top and up to two levels down; pino's paths know no deeper wildcard. */
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** An error becomes `error`, its messages, and `stacktrace`. */
function withError(fields: Record<string, unknown>): Record<string, unknown> {
  const { error } = fields;
  return error instanceof Error ? { ...fields, error: messages(error), stacktrace: error.stack } : fields;
}

function messages(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messages(error.cause)}` : error.message;
}

/** `12:00:00.000 INFO  message  key=value …`, for a person at a terminal. */
function asText(line: string): string {
  const { level, ts, msg, ...rest } = JSON.parse(line) as { msg?: string } & Record<string, unknown>;
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${shown(value)}`);
  const time = String(ts).slice(11, 23);
  return `${[time, String(level).toUpperCase().padEnd(5), msg ?? "", ...fields].join(" ")}\n`;
}

function shown(value: unknown): string {
  if (typeof value === "string" && !/[\s"=]/.test(value)) return value;
  return JSON.stringify(value);
}
