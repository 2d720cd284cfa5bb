import { readFileSync } from "node:fs";
import { join } from "node:path";
import { goSuite } from "../../../../tools/clients/go-suite.ts";

const folder = import.meta.dirname;
const tests = "providers/dns/linode";
const own = `${tests}/linode_test.go`;
const madeUpToken = 'os.Setenv(EnvToken, "testing")';
const simulatorToken = 'os.Setenv(EnvToken, os.Getenv("SIMULATOR_TOKEN"))';
const cannedRefusal = "the test expects a refusal that only its own server gives";

/** The tests of the DNS provider of lego, which answers DNS-01 challenges of certificate authorities, and whole challenges beside them. */
export const LEGO = goSuite({
  name: "lego",
  folder,
  module: "github.com/go-acme/lego/v5",
  tests,
  brandWord: "linode",
  // The tests of the source package talk to a server of their own with canned responses. Without the address of that server, they talk to the simulator.
  patches: [
    { file: own, text: "p.client.SetBaseURL(server.URL)", by: "" },
    // One for the tests of each method.
    { file: own, text: madeUpToken, by: simulatorToken },
    { file: own, text: madeUpToken, by: simulatorToken },
  ],
  // Adds a DNS server, because the provider finds the zone of a name by its SOA record.
  files: { [`${tests}/simulator_test.go`]: readFileSync(join(folder, "simulator_test.go"), "utf8") },
  args: [],
  // The live tests have empty bodies: they say that they are to be written.
  skipMark: "TestLive",
  environment: ({ url, token }) => ({ LINODE_TOKEN: token, SIMULATOR_TOKEN: token, LINODE_URL: url }),
  domains: ["example.com"],
  covered: {
    provider: ["TestNewDNSProvider", "TestNewDNSProviderConfig", "TestDNSProvider_Present", "TestDNSProvider_CleanUp"],
    "live tests": ["TestLivePresent", "TestLiveCleanUp"],
    challenges: ["TestChallenge"],
  },
  notPassed: new Map(
    ["Present/NoDomain", "Present/CreateFailed", "CleanUp/NoDomain", "CleanUp/DeleteFailed"].map((test) => [
      `TestDNSProvider_${test}`,
      cannedRefusal,
    ]),
  ),
});
