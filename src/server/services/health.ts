/** grpc.health.v1: the whole server, under the empty service name. */
import { Code, statusError } from '../../api/index.js';
import { ServingStatus, healthCheckRequest, healthCheckResponse } from '../../codec/index.js';
import type { Method } from '../rpc.js';
import { stream, unary } from './methods.js';

export function healthMethods(): Method[] {
  const path = '/grpc.health.v1.Health/';
  return [
    unary(`${path}Check`, healthCheckRequest, healthCheckResponse, ({ service }) => {
      if (service !== '') throw statusError(Code.notFound, 'unknown service');
      return { status: ServingStatus.serving };
    }),
    stream(`${path}Watch`, healthCheckRequest, healthCheckResponse, false, (out) => ({
      message: ({ service }) => {
        const { serving, serviceUnknown } = ServingStatus;
        out.write({ status: service === '' ? serving : serviceUnknown });
      },
      halfClose: () => {}, // the stream stays open for changes, of which there are none
      cancel: () => {},
    })),
  ];
}
