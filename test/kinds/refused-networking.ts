/** Specs of the kinds of addresses that are refused, each for one reason; see refused.ts. */
import type { Refused } from "./refused.ts";

const routed = { instanceRef: { name: "web" }, prefixLength: 64 };
const target = { routeTarget: "2001:db8::f03c:1", prefixLength: 64 };

const ipv6Range: Omit<Refused, "kind">[] = [
  { because: "nothing says where it is routed to", spec: { prefixLength: 64 }, says: "exactly one of instanceRef and" },
  { because: "two things say it", spec: { ...routed, ...target }, says: "exactly one of instanceRef and routeTarget" },
  { because: "the prefix length is missing", spec: { instanceRef: { name: "web" } }, says: "spec.prefixLength" },
  { because: "there are no blocks of /48", spec: { ...routed, prefixLength: 48 }, says: "spec.prefixLength" },
  { because: "a prefix length is a number", spec: { ...routed, prefixLength: "64" }, says: "spec.prefixLength" },
  {
    because: "an instance without an object is meant by its address",
    spec: { ...routed, instanceRef: { id: "1001" } },
    says: "must name a ComputeInstance",
  },
  { because: "the target is IPv4", spec: { ...target, routeTarget: "192.0.2.1" }, says: "must be an IPv6 address" },
  {
    because: "the target has a prefix length",
    spec: { ...target, routeTarget: "2001:db8::f03c:1/128" },
    says: "must be an IPv6 address",
  },
  { because: "the target is a name", spec: { ...target, routeTarget: "web" }, says: "must be an IPv6 address" },
  {
    because: "what is adopted is named without its prefix length",
    spec: { ...routed, management: { adopt: { id: "2001:db8::/64" } } },
    says: "must be the address of the range",
  },
];

export const refusedNetworking: Record<string, Omit<Refused, "kind">[]> = { IPv6Range: ipv6Range };
