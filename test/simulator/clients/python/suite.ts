import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pythonSuite } from "../../../../tools/clients/python.ts";

const folder = import.meta.dirname;
const lines = (file: string): string[] => readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
const [name = "", version = ""] = lines("suite.txt")[0]?.split(" ")[0]?.split("==") ?? [];

/** The integration tests of the service's SDK for Python, which its source package brings along. */
export const PYTHON = pythonSuite({
  name: "Python SDK",
  version,
  folder,
  root: `${name}-${version}/test/integration`,
  brandWord: "linode",
  environment: ({ url, token }) => ({
    LINODE_API_URL: `${url}/v4beta`,
    LINODE_TOKEN: token,
    RUN_DB_TESTS: "yes",
    RUN_DB_FORK_TESTS: "yes",
    RUN_LONG_TESTS: "yes",
  }),
  covered: {
    "account and client": ["models/account", "linode_client/test_errors.py", "linode_client/test_linode_client.py"],
    databases: ["models/database"],
    domains: ["models/domain"],
    filters: ["filters"],
    firewalls: ["models/firewall/test_firewall.py"],
    images: ["models/image"],
    instances: ["models/linode/test_linode.py"],
    networking: ["models/networking"],
    "object storage": ["models/object_storage/test_obj.py"],
    profile: ["models/profile"],
    regions: ["models/region"],
    tags: ["models/tag"],
  },
  notPassed: new Map(lines("not-passed.tsv").map((line) => line.split("\t").toReversed() as [string, string])),
});
