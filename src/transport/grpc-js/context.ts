/**
 * What a service may know of its caller.
 */
import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { CallContext } from '../../server/rpc.js';

export class GrpcJsContext implements CallContext {
  cancelled = false;
  readonly remote: string;
  private requestMetadata: Metadata | undefined;
  private cancelActions: (() => void)[] = [];

  constructor(private readonly wire: ServerInterceptingCallInterface) {
    this.remote = wire.getPeer();
  }

  setMetadata(metadata: Metadata): void {
    this.requestMetadata = metadata;
  }

  metadata(name: string): string | undefined {
    return this.requestMetadata?.get(name)[0]?.toString();
  }

  /** Only a certificate that the listener has verified appears here. */
  get certificateName(): string | undefined {
    const name: unknown = this.wire.getAuthContext().sslPeerCertificate?.subject.CN;
    return typeof name === 'string' ? name : undefined;
  }

  timeLeftMs(): number | undefined {
    const deadline = Number(this.wire.getDeadline());
    return deadline === Infinity ? undefined : Math.max(0, deadline - Date.now());
  }

  onCancel(action: () => void): void {
    if (this.cancelled) action();
    else this.cancelActions.push(action);
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    const actions = this.cancelActions;
    this.cancelActions = [];
    for (const action of actions) action();
  }
}
