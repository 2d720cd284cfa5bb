/** What an example supposes of the cloud, beside the objects and Secrets that it names. */
import { eventually } from "./stage.ts";
import type { Stage } from "./stage.ts";

type Preparation = (stage: Stage) => Promise<void> | void;

const supposed: Record<string, Preparation> = {
  "ReverseDNS mail": async ({ world }) => {
    const { status } = await world.ready("ComputeInstance", "empty");
    const [target = ""] = (status as { ipv4: string[] }).ipv4;
    world.simulator.control.domains.setRemoteZone({
      nameserver: "ns1.example.net",
      domain: "example.org",
      soa_email: "hostmaster@example.org",
      records: [{ type: "A", name: "mail", target }],
    });
  },
  "IPAssignment floating": knownAddresses,
  "IPSharing all-families": knownAddresses,
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
  "ComputeAction reset-password": async ({ world }) => {
    const { status } = await world.ready("ComputeInstance", "web-1");
    await world.stranger.send("POST", `/compute/instances/${String(status?.["id"])}/shutdown`);
    await world.until("ComputeInstance", "web-1", (one) => one.status?.["state"] === "offline");
  },
};

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
