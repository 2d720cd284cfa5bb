/** What an example supposes of the cloud, beside the objects and Secrets that it names. */
import { secrets } from "./contract-test.ts";
import { eventually } from "./stage.ts";
import type { Stage } from "./stage.ts";

type Preparation = (stage: Stage) => Promise<void> | void;

/** Whoever has the phone puts each code that comes into the Secret, for as long as a test takes. */
async function typeCodes({ world: { simulator, kube, namespace } }: Stage): Promise<void> {
  const metadata = { name: "phone-code", namespace };
  const end = Date.now() + 60_000;
  for (let typed = 0; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const messages = simulator.control.profile.sms();
    const { code } = messages.at(-1) ?? {};
    if (code === undefined || messages.length === typed) continue;
    if (typed > 0) await kube.delete(secrets, metadata);
    await kube.create(secrets, { apiVersion: "v1", kind: "Secret", metadata, stringData: { code } });
    typed = messages.length;
  }
}

const supposed: Record<string, Preparation> = {
  "AccessPolicy strict": ({ world }) => {
    const day = 86_400_000;
    const now = Date.now();
    const device = { username: "demo", created: now - 40 * day, expiry: now + day };
    world.simulator.control.profile.addDevice({ ...device, user_agent: "Old browser" });
    world.simulator.control.profile.addApp({ username: "demo", label: "Old CI", scopes: "domains:read_only" });
  },
  "AccountAction cancel-object-storage": async ({ world }) => {
    await world.stranger.send("POST", "/object-storage/buckets", { cluster: "us-east-1", label: "old-media" });
  },
  "ReverseDNS mail": resolvesMail,
  "ReverseDNS mail-ipv6": resolvesMail,
  // It ends with its test: the simulator is closed by then.
  "PhoneVerification mobile": (stage) => void typeCodes(stage).catch(() => undefined),
  "IPAssignment floating": knownAddresses,
  "IPSharing all-families": knownAddresses,
  "IPSharing takeover": knownAddresses,
  "Profile user": async ({ world }) => {
    await world.stranger.send("PUT", "/profile", { two_factor_auth: true, lish_auth_method: "disabled" });
  },
  "ComputeSnapshot nightly": async ({ world }) => {
    const { status } = await world.ready("ComputeInstance", "web-1");
    const path = `/compute/instances/${String(status?.["id"])}/backups`;
    await world.stranger.send("POST", path, { label: "nightly" });
    await eventually(async () => {
      const { snapshot } = (await world.stranger.get(path)) as { snapshot: { current: unknown } };
      if (snapshot.current === null) throw new Error("the snapshot is not there yet");
    });
  },
  "DatabaseAction restore": async ({ world }) => {
    const { status } = await world.ready("ManagedMySQL", "shop-db");
    const path = `/databases/mysql/instances/${String(status?.["id"])}/backups`;
    await world.stranger.send("POST", path, { label: "before" });
    await eventually(async () => {
      if ((await world.stranger.list(path)).length === 0) throw new Error("the backup is not listed yet");
    });
    await world.ready("ManagedMySQL", "shop-db");
  },
  "ComputeAction upgrade": async ({ world }) => {
    const { status } = await world.ready("ComputeInstance", "web-1");
    world.simulator.control.change("instance", Number(status?.["id"]), { type: "g5-standard-1" });
  },
  "ComputeAction reset-password": async ({ world }) => {
    const { status } = await world.ready("ComputeInstance", "web-1");
    await world.stranger.send("POST", `/compute/instances/${String(status?.["id"])}/shutdown`);
    await world.until("ComputeInstance", "web-1", (one) => one.status?.["state"] === "offline");
  },
};

/** The name of the mail server leads to both of its addresses. */
async function resolvesMail({ world }: Stage): Promise<void> {
  const { status } = await world.ready("ComputeInstance", "mail-1");
  const { ipv4, ipv6 } = status as { ipv4: string[]; ipv6: string };
  world.simulator.control.domains.setRemoteZone({
    nameserver: "ns1.example.net",
    domain: "example.org",
    soa_email: "hostmaster@example.org",
    records: [
      { type: "A", name: "mail", target: ipv4[0] ?? "" },
      { type: "AAAA", name: "mail", target: ipv6.split("/")[0] ?? "" },
    ],
  });
}

/** Which of two instances is created first, another run may decide otherwise. */
async function knownAddresses({ world }: Stage): Promise<void> {
  const [empty, spare] = await Promise.all(["empty", "spare"].map((name) => world.ready("ComputeInstance", name)));
  const assignments = [
    { address: "198.18.0.2", compute_id: Number(empty?.status?.["id"]) },
    { address: "198.18.0.3", compute_id: Number(spare?.status?.["id"]) },
  ];
  await world.stranger.send("POST", "/networking/ipv4/assign", { region: "us-east", assignments });
}

/** Brings the cloud to what the example supposes; its objects are there already. */
export async function ground(stage: Stage): Promise<void> {
  await supposed[stage.title]?.(stage);
}
