import { InterceptingCall, type Interceptor, status } from '@grpc/grpc-js'
import { Connection } from '@temporalio/client'

/**
 * gRPC's own retries (gRFC A6) replace the retry interceptor of Temporal's client. A timer of that
 * interceptor starts calls on a closed channel, whose errors are uncaught. Both retry the same
 * codes.
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
  // The default maximum pause between attempts is two minutes.
  'grpc.max_reconnect_backoff_ms': 5_000,
  'grpc.service_config': JSON.stringify(retries),
  // The default limit of 5 attempts is lower than the policy's.
  'grpc-node.retry_max_attempts_limit': 10,
}

/**
 * Creates a lazy connection to Temporal, opened by the first call. Disposing cancels running calls,
 * then closes the channel.
 */
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
