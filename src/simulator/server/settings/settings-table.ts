/** One setting of the simulator. */
export interface Setting<T> {
  flag: string;
  variable: string;
  /** Default in the form of the command line. */
  fallback: string | undefined;
  doc: string;
  /** Throws an Error with the allowed values. */
  parse: (raw: string) => T;
}

/** Defines all settings: command line, environment, `--help` and defaults. */
export const settingsTable = {
  port: setting("port <number>", "8090", "listening port; 0 selects a free port", wholeNumber(0, 65_535)),
  host: setting("host <address>", "127.0.0.1", "listening address; 0.0.0.0 lets other machines connect", word),
  publicUrl: setting("public-url <url>", undefined, "base URL in responses; default: host and port", baseUrl),
  tlsCert: setting(
    "tls-cert <file>",
    undefined,
    "PEM file with the certificate chain for HTTPS; read again on SIGHUP",
    word,
  ),
  tlsKey: setting("tls-key <file>", undefined, "PEM file with the private key of the certificate", word),
  brandWord: setting(
    "brand-word <word>",
    "compute",
    "brand word of the service in paths, fields, scopes, grants and IDs",
    brandWord,
  ),
  timeScale: setting(
    "time-scale <number>",
    "1",
    "divisor for the durations of jobs: with 60, an hour becomes a minute",
    numberBetween(0.001, 1_000_000),
  ),
  database: setting("database <file>", ":memory:", "file for the state, or :memory:", word),
  token: setting(
    "token <secret>",
    undefined,
    "token of the demo account; default: random, printed at the start",
    secret,
  ),
  controlToken: setting(
    "control-token <secret>",
    undefined,
    "token of the control side at /_simulator; default: random, printed at the start",
    secret,
  ),
  rateLimits: setting(
    "rate-limits <on|off>",
    "on",
    "counts requests, and refuses requests over the limit with 429",
    onOff,
  ),
};

function setting<T, const F extends string | undefined>(
  flag: string,
  fallback: F,
  doc: string,
  parse: (raw: string) => T,
): Setting<T> & { fallback: F } {
  const name = flag.split(" ")[0] ?? "";
  const variable = `CLOUD_SIMULATOR_${name.toUpperCase().replaceAll("-", "_")}`;
  return { flag: `--${flag}`, variable, fallback, doc, parse };
}

function numberBetween(least: number, most: number): (raw: string) => number {
  return (raw) => {
    const value = Number(raw);
    if (raw.trim() === "" || !(value >= least && value <= most))
      throw new Error(`must be a number from ${least} to ${most}, not "${raw}"`);
    return value;
  };
}

function wholeNumber(least: number, most: number): (raw: string) => number {
  return (raw) => {
    if (!/^\d+$/.test(raw) || Number(raw) < least || Number(raw) > most)
      throw new Error(`must be a whole number from ${least} to ${most}, not "${raw}"`);
    return Number(raw);
  };
}

function word(raw: string): string {
  if (raw.trim() === "") throw new Error("must not be empty");
  return raw;
}

function brandWord(raw: string): string {
  if (!/^[a-z][a-z0-9]*$/.test(raw)) throw new Error(`must be lower-case letters and digits, not "${raw}"`);
  return raw;
}

function onOff(raw: string): boolean {
  if (raw !== "on" && raw !== "off") throw new Error(`must be on or off, not "${raw}"`);
  return raw === "on";
}

/** Checks for characters that a header and a quoted shell word can contain. The error does not show the secret. */
function secret(raw: string): string {
  if (!/^[!-&(-~]+$/.test(raw)) throw new Error("must be printable ASCII without spaces and apostrophes");
  return raw;
}

function baseUrl(raw: string): string {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== "/" ||
    url.search !== "" ||
    url.hash !== ""
  )
    throw new Error(`must be like https://cloud.example.com:8090, without a path, not "${raw}"`);
  return url.origin;
}
