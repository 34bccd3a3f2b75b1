/** The standard health service (grpc.health.v1). */
import { codec } from './codec.js';
import type { Reader, Writer } from './wire.js';

export const ServingStatus = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;

export interface HealthCheckRequest {
  /** '' is the whole server. */
  service: string;
}

export interface HealthCheckResponse {
  /** A {@link ServingStatus} number. */
  status: number;
}

function writeRequest(w: Writer, request: HealthCheckRequest): void {
  w.string(1, request.service);
}

function readRequest(r: Reader): HealthCheckRequest {
  const request: HealthCheckRequest = { service: '' };
  while (r.next()) {
    if (r.field === 1) request.service = r.string();
    else r.skip();
  }
  return request;
}

export const healthCheckRequest = codec<HealthCheckRequest>(writeRequest, readRequest);

function writeResponse(w: Writer, response: HealthCheckResponse): void {
  w.integer(1, response.status);
}

function readResponse(r: Reader): HealthCheckResponse {
  const response: HealthCheckResponse = { status: 0 };
  while (r.next()) {
    if (r.field === 1) response.status = r.int32();
    else r.skip();
  }
  return response;
}

export const healthCheckResponse = codec<HealthCheckResponse>(writeResponse, readResponse);
