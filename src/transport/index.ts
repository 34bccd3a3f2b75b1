export { realClock, realRandom } from './real-environment.js';
export { listenClientPort, type ClientPortOptions } from './client-port.js';
export { methodNotAllowedReply, notFoundReply, textReply } from './http-text.js';
export { parseListenUrl, type ListenAddress } from './listen-address.js';
export { HttpPeerNetwork, type HttpPeerNetworkOptions } from './peer/http-peer-network.js';
export { listenProbePort, type ProbePort } from './probe-port.js';
export { exposeProcess } from './process-metrics.js';
export { checkListenUrl } from './check-listen.js';
export {
  describeTls,
  hasCertificate,
  selfSignedFiles,
  TlsCredentials,
  type TlsSettings,
  TlsSettingsError,
} from './tls/index.js';
