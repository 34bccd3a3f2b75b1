export { realClock, realRandom } from './real-environment.js';
export { listenClientPort, type ClientPortOptions } from './client-port.js';
export { GrpcJsTransport, type GrpcJsTransportOptions } from './grpc-js-transport.js';
export { methodNotAllowedReply, notFoundReply, textReply } from './http-text.js';
export { parseListenUrl, type ListenAddress } from './listen-address.js';
