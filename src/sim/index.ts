/**
 * The deterministic simulator: whole clusters in one process under virtual time, from a seed, with faults
 * of every kind. For testing the store, and what is built on it:
 *
 *     const scenario = scenarioOf(7, { profile: 'kv', members: 3 });
 *     const { violations } = await new Simulation(scenario, { clients: [myClient] }).run();
 */
export {
  RECOVERY_BOUND_MS,
  type Scenario,
  Simulation,
  type SimulationOptions,
  type SimulationResult,
  type Traffic,
} from './simulation.js';
export { scenarioFromText, scenarioText, scheduleCommand } from './scenario-text.js';
export { historyLines } from './history-text.js';
export { PROFILES, type ProfileName, type ScenarioOptions, scenarioOf } from './profiles.js';
export {
  type Fault,
  type FaultKind,
  type FaultPlan,
  type FaultWeights,
  drawFaults,
} from './faults.js';
export { Chance, ChanceStreams } from './chance.js';
export {
  type Detail,
  type TraceEvent,
  type TraceKind,
  type TraceListener,
  traceLine,
} from './trace.js';
export { MAX_CLOCK_DRIFT } from './node-clock.js';
export { type DiskTiming, FAST_DISK } from './disk.js';
export { GOOD_LINK, type LinkCondition } from './network.js';
export type { Violation } from './checkers/violation.js';
export type {
  History,
  Operation,
  OperationKind,
  OperationTypes,
  Outcome,
  WatchRecord,
} from './history.js';
export type {
  ClientPlan,
  OpenWatch,
  Plan,
  PlanOptions,
  WatchListener,
  Workload,
  WorkloadClient,
} from './workloads/workload-client.js';
export {
  deleteRequest,
  modRevisionIs,
  prefixEnd,
  putRequest,
  rangeRequest,
  txnRequest,
  valueIs,
  versionIs,
  watchRequest,
} from './workloads/requests.js';
export { type PictureOptions, PictureRecorder } from './html/picture-recorder.js';
export { pageOf } from './html/page.js';
export type { Picture } from './html/viewer/picture.js';
