import { SocketAddress } from "node:net";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonical } from "../../src/kinds/networking/address.ts";

/** A group of an IPv6 address in any spelling. Zeros are frequent. */
const group = fc
  .tuple(fc.oneof(fc.constant(0), fc.constant(0xffff), fc.nat(0xffff)), fc.constantFrom(0, 4), fc.boolean())
  .map(([value, width, upper]) => {
    const text = value.toString(16).padStart(width, "0");
    return upper ? text.toUpperCase() : text;
  });

const whole = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(":"));
const shortened = fc
  .tuple(fc.array(group, { maxLength: 7 }), fc.array(group, { maxLength: 7 }))
  .filter(([front, back]) => front.length + back.length <= 7)
  .map(([front, back]) => `${front.join(":")}::${back.join(":")}`);
const withIPv4 = fc.constantFrom("::ffff:192.0.2.1", "64:ff9b::192.0.2.33", "::192.0.2.1", "2001:DB8::255.255.0.1");

test("an IPv6 address is spelled as Node spells it", () => {
  fc.assert(
    fc.property(fc.oneof(whole, shortened, withIPv4), (address) => {
      expect(canonical(address)).toBe(new SocketAddress({ address, family: "ipv6" }).address);
      expect(canonical(`${address}/64`)).toBe(`${canonical(address)}/64`);
    }),
    { numRuns: 3_000 },
  );
});
