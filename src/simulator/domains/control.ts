import type { AreaControl } from "../server/control/area-control.ts";
import { checked } from "../server/wire.ts";
import { remoteZoneSchema, setRemoteZone } from "./remote-zones.ts";
import type { RemoteZone } from "./remote-zones.ts";

/** Name servers outside the platform, for tests and the demo. */
export interface DomainsControl {
  /** Adds a zone to an external name server. A client can import the domain from there. */
  setRemoteZone(zone: RemoteZone): void;
}

export const domainsControl: AreaControl<DomainsControl> = {
  verbs: (world) => ({ setRemoteZone: (zone) => setRemoteZone(world, zone) }),
  routes: (verbs) => ({
    "PUT /remote-zones": (body) => verbs.setRemoteZone(checked(remoteZoneSchema, body)),
  }),
};
