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
  port: setting("port <number>", "8090", "port to listen on; 0 takes a free one", wholeNumber(0, 65_535)),
  host: setting("host <address>", "127.0.0.1", "address to listen on; 0.0.0.0 is all, and then others reach it", word),
  publicUrl: setting(
    "public-url <url>",
    undefined,
    "how clients reach it, for URLs in answers; default: host and port",
    baseUrl,
  ),
  tlsCert: setting(
    "tls-cert <file>",
    undefined,
    "certificate in PEM form, with its chain: speaks HTTPS; read again on SIGHUP",
    word,
  ),
  tlsKey: setting("tls-key <file>", undefined, "the certificate's private key in PEM form", word),
  brandWord: setting("brand-word <word>", "compute", "the service's brand in paths, fields, scopes and ids", brandWord),
  timeScale: setting(
    "time-scale <number>",
    "1",
    "divides the durations of jobs: 60 makes minutes of hours",
    numberBetween(0.001, 1_000_000),
  ),
  database: setting("database <file>", ":memory:", "file that keeps everything, or :memory:", word),
  token: setting("token <secret>", undefined, "token of the demo account; default: a random one, printed", secret),
  controlToken: setting(
    "control-token <secret>",
    undefined,
    "token of /_simulator; default: a random one, printed",
    secret,
  ),
  rateLimits: setting("rate-limits <on|off>", "on", "whether requests are counted and refused with 429", onOff),
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
