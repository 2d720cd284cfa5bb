/** A named endpoint. The parsers in this file throw an Error whose message completes "must …". */

export interface Endpoint {
  name: string;
  url: string;
}

/** An address to listen on; undefined for `0`, which means off. */
export type Address = { host: string; port: number } | undefined;

export const text = (raw: string): string => {
  if (raw.trim() === "") throw new Error("must not be empty");
  return raw;
};

export const wholeNumber =
  (min: number, max: number) =>
  (raw: string): number => {
    const value = Number(raw);
    if (/^\d+$/.test(raw) && value >= min && value <= max) return value;
    throw new Error(`must be a whole number from ${min} to ${max}`);
  };

export const oneOf =
  <T extends string>(...allowed: T[]) =>
  (raw: string): T => {
    const value = allowed.find((each) => each === raw);
    if (value === undefined) throw new Error(`must be ${allowed.join(" or ")}`);
    return value;
  };

export const onOff = (raw: string): boolean => oneOf("on", "off")(raw) === "on";

/** Parses a name of a namespace or a Lease. */
export const kubeName = (raw: string): string => {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(raw)) return raw;
  throw new Error("must be a Kubernetes name: at most 63 of a-z, 0-9 and dashes");
};

export const kindName = (raw: string): string => {
  if (/^[A-Z][A-Za-z0-9]*$/.test(raw)) return raw;
  throw new Error("must be a kind, such as SSHKey");
};

/** Parses a name of a Secret and most other objects. */
export const objectName = (raw: string): string => {
  if (raw.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(raw)) return raw;
  throw new Error("must be a Kubernetes name: at most 253 of a-z, 0-9, dashes and dots");
};

export const word = (raw: string): string => {
  if (/^[a-z][a-z0-9]{1,31}$/.test(raw)) return raw;
  throw new Error("must be one lower-case word of letters and digits");
};

/** Parses `name=url`. A bare URL is the endpoint `default`. */
export const endpoint = (raw: string): Endpoint => {
  const [, name = "default", url = ""] = /^(?:([a-z0-9][-a-z0-9]*)=)?(.*)$/s.exec(raw) ?? [];
  const parsed = URL.parse(url);
  if (parsed !== null && ["http:", "https:"].includes(parsed.protocol) && parsed.username === "") return { name, url };
  throw new Error("must be name=url with an http or https URL without credentials");
};

/** Parses scheme, host and port. */
export const origin = (raw: string): string => {
  const parsed = URL.parse(raw);
  if (parsed && ["http:", "https:"].includes(parsed.protocol) && parsed.origin === raw.replace(/\/$/, ""))
    return parsed.origin;
  throw new Error("must be scheme and host, such as https://images.example.org");
};

/** Parses the URL of a proxy, with or without credentials. */
export const proxy = (raw: string): string => {
  if (["http:", "https:"].includes(URL.parse(raw)?.protocol ?? "")) return raw;
  throw new Error("must be an http or https URL");
};

/** Parses `name=number`. */
export const endpointLimit = (raw: string): { name: string; requests: number } => {
  const [, name, requests] = /^([a-z0-9][-a-z0-9]*)=(\d{1,9})$/.exec(raw) ?? [];
  if (name !== undefined && Number(requests) >= 20) return { name, requests: Number(requests) };
  throw new Error("must be name=requests with the name of an endpoint and a whole number of at least 20");
};

/** Parses `name=path` of a PEM file. */
export const endpointFile = (raw: string): { name: string; path: string } => {
  const [, name, path] = /^([a-z0-9][-a-z0-9]*)=(.+)$/s.exec(raw) ?? [];
  if (name === undefined || path === undefined) throw new Error("must be name=path");
  return { name, path };
};

/** Parses `host:port`, `:port` for all interfaces, or `0`. */
export const address = (raw: string): Address => {
  if (raw === "0") return undefined;
  const [, host = "", digits = ""] = /^(.*):(\d+)$/.exec(raw) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) throw new Error("must be host:port, :port, or 0 for off");
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port };
};
