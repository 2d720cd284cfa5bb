/** What an example supposes of the cloud, beside the objects and Secrets that it names. */
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
  "Profile user": async ({ world }) => {
    await world.stranger.send("PUT", "/profile", { two_factor_auth: true, lish_auth_method: "disabled" });
  },
  "ComputeAction reset-password": async ({ world }) => {
    const { status } = await world.ready("ComputeInstance", "web-1");
    await world.stranger.send("POST", `/compute/instances/${String(status?.["id"])}/shutdown`);
    await world.until("ComputeInstance", "web-1", (one) => one.status?.["state"] === "offline");
  },
};

/** Brings the cloud to what the example supposes; its objects are there already. */
export async function ground(stage: Stage): Promise<void> {
  await supposed[stage.title]?.(stage);
}
