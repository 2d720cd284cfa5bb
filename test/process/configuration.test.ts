import { expect, it } from "vitest";
import { ConfigurationError, readConfiguration } from "../../src/process/configuration.ts";
import { settings } from "../../src/process/settings.ts";

const endpoint = ["--endpoint", "https://api.example.org"];

it("needs an endpoint and nothing else", () => {
  const configuration = readConfiguration(endpoint, {});
  expect(configuration).toMatchObject({
    endpoints: [{ name: "default", url: "https://api.example.org" }],
    namespaces: [],
    brandWord: "compute",
    workers: 16,
    leaderElection: true,
    metricsAddress: { host: "127.0.0.1", port: 8080 },
    allowAccountActions: false,
  });
  expect(Object.keys(configuration)).toEqual(Object.keys(settings));
});

it("takes the proxy of the environment that other programs take, where its own is not set", () => {
  const standard = { HTTPS_PROXY: "http://proxy.example:3128", no_proxy: ".example.org" };
  expect(readConfiguration(endpoint, standard)).toMatchObject({
    proxy: "http://proxy.example:3128",
    proxyExcept: ".example.org",
  });
  const own = { ...standard, CLOUD_PLATFORM_PROXY: "http://own.example:8080" };
  expect(readConfiguration(endpoint, own).proxy).toBe("http://own.example:8080");
  expect(readConfiguration(endpoint, {}).proxy).toBeUndefined();
});

it("takes the command line before the environment, and the environment before the default", () => {
  const environment = { CLOUD_PLATFORM_WORKERS: "4", CLOUD_PLATFORM_PAGE_SIZE: "100" };
  const configuration = readConfiguration([...endpoint, "--workers", "8"], environment);
  expect(configuration).toMatchObject({ workers: 8, pageSize: 100, pollSeconds: 60 });
});

it("reads repeated flags and lists in variables alike, and lets flags replace the variable", () => {
  const environment = {
    CLOUD_PLATFORM_ENDPOINT: "default=https://one.example.org, second=http://127.0.0.1:8090/v4",
    CLOUD_PLATFORM_NAMESPACE: "from-variable",
  };
  const configuration = readConfiguration(["--namespace", "a", "--namespace", "b"], environment);
  expect(configuration.namespaces).toEqual(["a", "b"]);
  expect(configuration.endpoints.map((each) => each.name)).toEqual(["default", "second"]);
});

it.each([
  [["--workers", "x"], {}, "--workers (CLOUD_PLATFORM_WORKERS): must be a whole number from 1 to 512", "a number"],
  [["--workers", "0"], {}, "--workers (CLOUD_PLATFORM_WORKERS): must be a whole number from 1 to 512", "bounds"],
  [[], { CLOUD_PLATFORM_LOG_FORMAT: "xml" }, "CLOUD_PLATFORM_LOG_FORMAT): must be json or text", "the variable counts"],
  [
    ["--endpoint", "default=ftp://x"],
    {},
    "--endpoint (CLOUD_PLATFORM_ENDPOINT): must be name=url",
    "http and https only",
  ],
  [["--endpoint", "a=https://x", "--endpoint", "a=https://y"], {}, '"a" is named twice', "no second meaning of a name"],
  [
    ["--endpoint", "a=https://x.example.org", "--endpoint", "b=https://X.example.org:443/v4/"],
    {},
    '"a" and "b" are the same cloud API',
    "one owner for each cloud object",
  ],
  [["--proxy", "socks://ada:s3cret@p"], {}, 'an http or https URL, not "socks://(hidden)@p"', "no password is shown"],
  [["--endpoint-ca", "other=/ca.pem"], {}, 'there is no endpoint "other"', "a typing error shows"],
  [["--endpoint-limit", "other=5000"], {}, 'there is no endpoint "other"', "likewise"],
  [["--endpoint-limit", "default=many"], {}, "must be name=requests", "a number"],
  [["--metrics-address", "8080"], {}, "must be host:port, :port, or 0 for off", "a port alone is ambiguous"],
  [["--namespace", "Not_A_Name"], {}, "must be a Kubernetes name", "it could never exist"],
  [["--installation-key-secret", "A_Key"], {}, "must be a Kubernetes name: at most 253", "likewise, of a Secret"],
  [["--brand-word", "two words"], {}, "must be one lower-case word", "it becomes a path segment"],
  [["--worker", "3"], {}, "unknown option '--worker'", "commander suggests the right one"],
  [["extra"], {}, "too many arguments", "a stray word is a mistake"],
])("refuses %j %j by name: %s", (args, environment, message, _reason) => {
  const attempt = (): unknown => readConfiguration([...endpoint, ...args], environment);
  expect(attempt).toThrow(message);
  expect(attempt).toThrow(expect.objectContaining({ exitCode: 2 }));
});

it("says that an endpoint is missing", () => {
  expect(() => readConfiguration([], {})).toThrow("--endpoint (CLOUD_PLATFORM_ENDPOINT): name an endpoint");
});

it("does not repeat credentials that somebody put into a URL", () => {
  const attempt = (): unknown => readConfiguration(["--endpoint", "default=https://me:hunter2@api.example.org"], {});
  expect(attempt).toThrow("without credentials");
  expect(attempt).not.toThrow("hunter2");
});

it("shows every setting with its variable and default in its help, and exits with 0", () => {
  let help: unknown;
  try {
    readConfiguration(["--help"], {});
  } catch (error) {
    help = error;
  }
  expect(help).toBeInstanceOf(ConfigurationError);
  const { message, exitCode } = help as ConfigurationError;
  expect(exitCode).toBe(0);
  for (const { flag, variable } of Object.values(settings)) {
    expect(message).toContain(flag);
    expect(message).toContain(variable);
  }
});

it.each([
  ["0", undefined, "turns it off"],
  [":9090", { host: "", port: 9090 }, "all interfaces, as a container wants"],
  ["[::1]:9090", { host: "::1", port: 9090 }, "IPv6"],
])("reads the address %s", (raw, value, _reason) => {
  expect(readConfiguration([...endpoint, "--health-address", raw], {}).healthAddress).toEqual(value);
});
