export { sleep, until } from '../../grpc/support/waiting.js';
