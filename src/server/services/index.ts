/** Everything a member serves on its client port. */
import type { Member } from '../member.js';
import type { Method } from '../rpc.js';
import { ClusterService, clusterMethods } from './cluster.js';
import { healthMethods } from './health.js';
import { KvService, kvMethods } from './kv.js';
import { LeaseService, leaseMethods } from './lease.js';
import { MaintenanceService, maintenanceMethods } from './maintenance.js';
import { WatchService, watchMethods } from './watch.js';

export interface Services {
  kv: KvService;
  watch: WatchService;
  lease: LeaseService;
  cluster: ClusterService;
  maintenance: MaintenanceService;
}

export function createServices(member: Member): Services {
  return {
    kv: new KvService(member),
    watch: new WatchService(member),
    lease: new LeaseService(member),
    cluster: new ClusterService(member),
    maintenance: new MaintenanceService(member),
  };
}

/** The services as a transport serves them. */
export function methodsOf(services: Services): Method[] {
  return [
    ...kvMethods(services.kv),
    ...watchMethods(services.watch),
    ...leaseMethods(services.lease),
    ...clusterMethods(services.cluster),
    ...maintenanceMethods(services.maintenance),
    ...healthMethods(),
  ];
}
