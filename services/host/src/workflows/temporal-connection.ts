import { InterceptingCall, type Interceptor, status } from '@grpc/grpc-js'
import { Connection } from '@temporalio/client'
import { channelCredentials, type TemporalServer } from './temporal-server.ts'

/**
 * gRPC's own retry policy (gRFC A6), for the codes that the Temporal client would retry. The
 * client's retries are off, because their timer starts calls on a closed channel, whose errors are
 * uncaught.
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
  // Maximum pause in ms between attempts to connect; gRPC's default is two minutes.
  'grpc.max_reconnect_backoff_ms': 5_000,
  'grpc.service_config': JSON.stringify(retries),
  // Maximum attempts that `retries` may set; gRPC's default is 5.
  'grpc-node.retry_max_attempts_limit': 10,
}

/** Creates a connection to Temporal, opened by the first call. Disposing cancels running calls. */
export function createTemporalConnection(
  server: TemporalServer,
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
  const { address, apiKey } = server
  const interceptors = [track]
  const credentials = channelCredentials(server)
  const connection = Connection.lazy({ address, credentials, channelArgs, interceptors })
  if (apiKey) connection.setApiKey(apiKey)
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      for (const call of underWay) call.cancelWithStatus(status.CANCELLED, 'connection closes')
      await connection.close()
    },
  }
}
