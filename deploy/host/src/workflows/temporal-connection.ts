import { InterceptingCall, type Interceptor, status } from '@grpc/grpc-js'
import { Connection } from '@temporalio/client'

/**
 * gRPC's own retries (gRFC A6) instead of the Temporal client's, for the same codes: a timer of
 * Temporal's starts calls on a closed channel, whose errors are uncaught.
 */
const retries = {
  loadBalancingConfig: [],
  methodConfig: [
    {
      name: [{}],
      retryPolicy: {
        maxAttempts: 10,
        initialBackoff: '0.1s',
        maxBackoff: '5s',
        backoffMultiplier: 1.7,
        retryableStatusCodes: [
          status.UNKNOWN,
          status.RESOURCE_EXHAUSTED,
          status.UNAVAILABLE,
          status.ABORTED,
          status.DATA_LOSS,
          status.OUT_OF_RANGE,
        ],
      },
    },
  ],
}

const channelArgs = {
  // gRPC's default maximum pause between attempts to connect is two minutes.
  'grpc.max_reconnect_backoff_ms': 5_000,
  'grpc.service_config': JSON.stringify(retries),
  // gRPC's default limit of 5 attempts is lower than that of `retries`.
  'grpc-node.retry_max_attempts_limit': 10,
}

/** Creates a connection to Temporal, opened by the first call. Disposing cancels running calls. */
export function createTemporalConnection(
  address: string,
): { connection: Connection } & AsyncDisposable {
  const underWay = new Set<InterceptingCall>()
  const track: Interceptor = (options, nextCall) => {
    const call = new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
        underWay.add(call)
        next(metadata, {
          onReceiveStatus: (received, nextStatus) => {
            underWay.delete(call)
            nextStatus(received)
          },
        })
      },
    })
    return call
  }
  const connection = Connection.lazy({ address, channelArgs, interceptors: [track] })
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      for (const call of underWay) call.cancelWithStatus(status.CANCELLED, 'connection closes')
      await connection.close()
    },
  }
}
