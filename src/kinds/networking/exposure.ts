import type { Risk } from "../../core/kind/described.ts";

const guarded = [
  { port: 22, of: "SSH" },
  { port: 3306, of: "MySQL" },
  { port: 3389, of: "Remote Desktop" },
  { port: 5432, of: "PostgreSQL" },
  { port: 6379, of: "Redis" },
  { port: 27_017, of: "MongoDB" },
];

const fromAll =
  "(rule.?ipv4.orValue([]).exists(network, network.endsWith('/0')) || rule.?ipv6.orValue([]).exists(network, network.endsWith('/0')))";

/** A piece is a port or a range. A rule without ports applies to every port. */
const covers = (port: number): string =>
  `rule.?ports.orValue('1-65535').split(',').map(piece, piece.trim().split('-')).exists(range, int(range[0]) <= ${port} && ${port} <= int(range[size(range) - 1]))`;

/** Warns about a firewall that opens a sensitive port, or all ports, to the whole internet. */
export const exposures: Risk[] = [
  ...guarded.map(({ port, of }) => ({
    fields: ["inbound"],
    when: `object.spec.?inbound.orValue([]).exists(rule, rule.action == 'ACCEPT' && rule.protocol == 'TCP' && ${fromAll} && ${covers(port)})`,
    message: `spec.inbound lets the whole internet reach port ${port} (${of})`,
  })),
  {
    fields: ["inboundPolicy", "enabled"],
    when: "object.spec.inboundPolicy == 'ACCEPT' && object.spec.?enabled.orValue(true)",
    message: "spec.inboundPolicy is ACCEPT: the whole internet can reach every port that no rule closes",
  },
];

/** Warns about a database that the whole internet can reach. */
export const openDatabase: Risk = {
  fields: ["allowList"],
  when: "object.spec.?allowList.orValue([]).exists(network, network.endsWith('/0'))",
  message: "spec.allowList lets the whole internet reach the database",
};
