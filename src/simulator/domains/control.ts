import type { AreaControl } from "../server/control/area-control.ts";
import { checked } from "../server/wire.ts";
import { remoteZoneSchema, setRemoteZone } from "./remote-zones.ts";
import type { RemoteZone } from "./remote-zones.ts";

/** Name servers elsewhere, as far as the simulator is told of them; for tests and the demo. */
export interface DomainsControl {
  /** Puts a zone on a name server elsewhere, from where a domain can be imported. */
  setRemoteZone(zone: RemoteZone): void;
}

/** The control side of domains. */
export const domainsControl: AreaControl<DomainsControl> = {
  verbs: (world) => ({ setRemoteZone: (zone) => setRemoteZone(world, zone) }),
  routes: (verbs) => ({
    "PUT /remote-zones": (body) => verbs.setRemoteZone(checked(remoteZoneSchema, body)),
  }),
};
