import { goSuite } from "../../../../tools/clients/go-suite.ts";

const provider = "providers/linode/linodeProvider.go";
const zone = "example.com";
const needsTarget = "the documents require a target of a TXT record";
const keepsPriority = "the client leaves out a priority of 0, and an update without a priority keeps the former one";

/** The integration tests of dnscontrol, which translates zones into records. */
export const DNSCONTROL = goSuite({
  name: "dnscontrol",
  folder: import.meta.dirname,
  module: "github.com/StackExchange/dnscontrol/v4",
  tests: "integrationTest",
  brandWord: "linode",
  patches: [
    { file: provider, text: "url.Parse(defaultBaseURL)", by: 'url.Parse(m["url"])' },
    // This version compares its own name servers with and without the final period, and with another TTL.
    { file: provider, text: "rc.SetTarget(name)", by: 'rc.SetTarget(name + ".")' },
    { file: provider, text: 'Type:     "NS",', by: 'Type: "NS", TTL: 300,' },
    {
      file: "integrationTest/profiles.json",
      text: '"token": "$LINODE_TOKEN"',
      by: '"token": "$LINODE_TOKEN", "url": "$LINODE_URL"',
    },
  ],
  // The other providers have hundreds of dependencies.
  files: {
    "providers/_all/all.go": 'package all\n\nimport _ "github.com/StackExchange/dnscontrol/v4/providers/linode"\n',
  },
  args: ["-provider", "LINODE"],
  skipMark: "***SKIPPED",
  environment: ({ url, token }) => ({ LINODE_DOMAIN: zone, LINODE_TOKEN: token, LINODE_URL: `${url}/v4/` }),
  domains: [zone],
  covered: { "domain records": [`TestDNSProviders/${zone}`] },
  notPassed: new Map([
    [`TestDNSProviders/${zone}/19:NullMX:renull`, keepsPriority],
    [`TestDNSProviders/${zone}/20:NullMXApex:renull`, keepsPriority],
    [`TestDNSProviders/${zone}/22:complex_TXT:a_0-byte_TXT`, needsTarget],
  ]),
});
