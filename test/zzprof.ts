import { createWorld, conditionOf } from "./world/world.ts";
const rules = Array.from({ length: 25 }, (_, rule) => ({
  action: "ACCEPT",
  protocol: "TCP",
  ports: "22",
  ipv4: Array.from({ length: 128 }, (_, network) => `10.${rule}.${network}.0/24`),
  ipv6: Array.from({ length: 127 }, (_, network) => `2001:db8:${rule}:${network}::/64`),
}));
const world = createWorld();
await world.advance(1000);
const spec = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT", inbound: rules };
const n = Number(process.argv[2] ?? 1);
const u0 = process.cpuUsage();
for (let i = 0; i < n; i++) world.cluster.create("Firewall", `web-${i}`, spec);
await world.advance(60_000);
const u = process.cpuUsage(u0);
console.log(
  conditionOf(world.cluster.get("Firewall", "web-0"), "Ready")?.reason,
  (u.user + u.system) / 1000 / n,
  "ms CPU per object",
  world.cloud.ledger().length,
);
const u1 = process.cpuUsage();
await world.advance(600_000);
console.log("10 min rest", process.cpuUsage(u1).user / 1000 / n, world.cloud.ledger().length);
