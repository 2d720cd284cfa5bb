import type { Running } from "../running.ts";

/** Creates a master; answers its path. */
export async function master(simulator: Running, domain = "example.org"): Promise<string> {
  const body = { domain, type: "master", soa_email: `admin@${domain}` };
  const { id } = await simulator.ok("POST", "/domains", body);
  return `/domains/${String(id)}`;
}

/** The fields of the smallest record of each type. */
export const RECORD_BODIES = {
  A: { type: "A", name: "www", target: "192.0.2.1" },
  AAAA: { type: "AAAA", name: "www", target: "2001:db8::1" },
  NS: { type: "NS", name: "sub", target: "ns.example.net" },
  MX: { type: "MX", target: "mail.example.net" },
  CNAME: { type: "CNAME", name: "alias", target: "www.example.org" },
  TXT: { type: "TXT", target: "v=spf1 -all" },
  SRV: { type: "SRV", service: "sip", protocol: "tcp", target: "sip.example.net", port: 5060, priority: 10, weight: 5 },
  CAA: { type: "CAA", tag: "issue", target: "letsencrypt.org" },
} as const;
