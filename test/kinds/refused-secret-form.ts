/** Forms of published Secrets that are refused, each for one reason; see refused.ts. */
import type { Refused } from "./refused.ts";

const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const placeholders = "must be keys of a Secret with texts whose placeholders are among {{ .host }}";
const once = "keys and template must name each key only once";
const labelled = "must be valid names and values of labels";
const typed = "must not be a type of Kubernetes other than kubernetes.io/basic-auth";

const forms: { because: string; form: object; says: string }[] = [
  { because: "a placeholder is unknown", form: { template: { URL: "{{ .hots }}" } }, says: placeholders },
  { because: "a placeholder of another kind's", form: { template: { URL: "{{ .url }}" } }, says: placeholders },
  { because: "a placeholder has a dot", form: { template: { URL: "{{ host }}" } }, says: placeholders },
  { because: "there is no logic", form: { template: { URL: "{{ if .host }}x{{ end }}" } }, says: placeholders },
  { because: "there are no functions", form: { template: { URL: "{{ .host | upper }}" } }, says: placeholders },
  { because: "a placeholder ends", form: { template: { URL: "{{ .host" } }, says: placeholders },
  { because: "a key has no slash", form: { template: { "a/b": "x" } }, says: placeholders },
  {
    because: "a text has a bound",
    form: { template: { URL: "x".repeat(4097) } },
    says: "spec.connectionSecret.template",
  },
  { because: "another name is a key", form: { keys: { host: "DB HOST" } }, says: "must be keys of a Secret" },
  { because: "two keys get one name", form: { keys: { host: "a", port: "a" } }, says: once },
  { because: "a key takes the name of another", form: { keys: { host: "port" } }, says: once },
  { because: "a template has the name of a key", form: { template: { host: "x" } }, says: once },
  {
    because: "a template has the new name of a key",
    form: { keys: { host: "DB_HOST" }, template: { DB_HOST: "x" } },
    says: once,
  },
  {
    because: "tokens of service accounts are Kubernetes' own",
    form: { type: "kubernetes.io/service-account-token" },
    says: typed,
  },
  { because: "releases are Helm's own", form: { type: "helm.sh/release.v1" }, says: "not a type of Helm" },
  {
    because: "a text has 32 placeholders at most",
    form: { template: { URL: "{{.host}}".repeat(33) } },
    says: "at most 32 in one text",
  },
  { because: "tokens of nodes are Kubernetes' own", form: { type: "bootstrap.kubernetes.io/token" }, says: typed },
  {
    because: "the operator's labels are its own",
    form: { labels: { "cloudplatform.dev/published": "x" } },
    says: labelled,
  },
  { because: "a label's value has no blank", form: { labels: { team: "a b" } }, says: labelled },
  { because: "a label's name has no blank", form: { labels: { "my team": "a" } }, says: labelled },
  { because: "the name of a Secret is in lower case", form: { name: "Shop" }, says: "spec.connectionSecret.name" },
];

export const refusedSecretForms: Refused[] = [
  ...forms.map(({ form, because, says }) => {
    const spec = { ...database, connectionSecret: form };
    return { kind: "ManagedMySQL", because, says, spec };
  }),
  {
    kind: "ObjectStorageKey",
    because: "a key of object storage has no host",
    spec: { connectionSecret: { template: { URL: "{{ .host }}" } } },
    says: "placeholders are among {{ .AWS_ACCESS_KEY_ID }}",
  },
  {
    kind: "PresignedURL",
    because: "a URL is no database",
    spec: {
      bucketRef: { name: "media" },
      objectKey: "a",
      method: "GET",
      connectionSecret: { template: { URL: "{{ .host }}" } },
    },
    says: "placeholders are among {{ .url }}",
  },
];
