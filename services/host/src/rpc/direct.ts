import {
  create,
  type DescMessage,
  type DescMethodClientStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ContextValues,
  createConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type Transport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect'
import { intercept, type Routes } from './intercept.ts'

type Method = DescMethodUnary | DescMethodClientStreaming
type AnyRequest = UnaryRequest | StreamRequest
type AnyResponse = UnaryResponse | StreamResponse
type Implementation = (request: never, context: HandlerContext) => unknown

/**
 * Creates the in-memory transport to services of the same process, for unary and client-streaming
 * calls (other calls throw unimplemented). Messages are passed without encoding, several times
 * faster than Connect's router transport; so handlers must not change them. Error codes, details,
 * headers and deadlines are as over the network.
 */
export function createDirectTransport(options: {
  routes: Routes
  /** The client's interceptors, then the server's; the first one is the outermost. */
  interceptors: Interceptor[]
  defaultTimeoutMs: number
}): Transport {
  const implementations = collectImplementations(options.routes)
  const call = options.interceptors.reduceRight<(request: AnyRequest) => Promise<AnyResponse>>(
    (next, interceptor) => interceptor(next as never) as never,
    (request) => invoke(implementations, request),
  )
  return {
    // biome-ignore lint/complexity/useMaxParams: the signature is Connect's
    unary: (method, signal, timeoutMs, header, input, contextValues) => {
      const message = create(method.input, input)
      const common = commonOf(method, header, contextValues)
      return withDeadline(
        signal,
        timeoutMs ?? options.defaultTimeoutMs,
        (linked) => call({ ...common, stream: false, method, signal: linked, message }) as never,
      )
    },
    // biome-ignore lint/complexity/useMaxParams: the signature is Connect's
    stream: (method, signal, timeoutMs, header, input, contextValues) => {
      if (method.methodKind !== 'client_streaming') {
        throw new ConnectError(
          'server streaming is not supported between hosted services',
          Code.Unimplemented,
        )
      }
      const common = commonOf(method, header, contextValues)
      return withDeadline(signal, timeoutMs ?? options.defaultTimeoutMs, async (linked) => {
        const message = messagesOf(method.input, input, linked)
        try {
          return (await call({ ...common, stream: true, method, signal: linked, message })) as never
        } finally {
          // Ends the client's message iterator. Not awaited: it may be blocked until its next
          // message.
          input[Symbol.asyncIterator]()
            .return?.()
            .catch(() => undefined)
        }
      })
    },
  }
}

function commonOf(
  method: Method,
  header: ConstructorParameters<typeof Headers>[0],
  values?: ContextValues,
) {
  return {
    service: method.parent,
    requestMethod: 'POST',
    url: '',
    header: new Headers(header),
    contextValues: values ?? createContextValues(),
  }
}

/** Yields the client's messages on demand; throws when the call has ended. */
async function* messagesOf<Desc extends DescMessage>(
  schema: Desc,
  input: AsyncIterable<MessageInitShape<Desc>>,
  signal: AbortSignal,
): AsyncIterable<MessageShape<Desc>> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => undefined)
  const end = (): void => reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const source = input[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([ended, source.next()])
      if (next.done) return
      yield create(schema, next.value)
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
}

async function* streamOfOne<Message>(message: Message): AsyncIterable<Message> {
  yield message
}

function collectImplementations(routes: Routes): Map<Method, Implementation> {
  const implementations = new Map<Method, Implementation>()
  const collect = (service: DescService, implementation: Record<string, Implementation>) => {
    for (const method of service.methods) {
      const run = implementation[method.localName]
      if (run) implementations.set(method as Method, run)
    }
  }
  routes(intercept(createConnectRouter(), collect))
  return implementations
}

async function invoke(
  implementations: Map<Method, Implementation>,
  request: AnyRequest,
): Promise<AnyResponse> {
  const { service, signal, header, contextValues } = request
  const method = request.method as Method
  const run = implementations.get(method)
  if (!run) throw new ConnectError(`${method.name} is not implemented`, Code.Unimplemented)
  const responseHeader = new Headers()
  const responseTrailer = new Headers()
  const context: HandlerContext = {
    service,
    method,
    signal,
    timeoutMs: () => timeLeft(signal),
    requestMethod: 'POST',
    requestHeader: header,
    responseHeader,
    responseTrailer,
    protocolName: 'direct',
    values: contextValues,
    url: '',
  }
  const reply = await run(request.message as never, context)
  const message = create<DescMessage>(method.output, reply as never)
  const answered = { service, header: responseHeader, trailer: responseTrailer }
  return (
    request.stream
      ? { ...answered, method, stream: true, message: streamOfOne(message) }
      : { ...answered, method, stream: false, message }
  ) as AnyResponse
}

const deadlines = new WeakMap<AbortSignal, number>()

/** Returns the ms until the deadline of the call with this signal; undefined if it has none. */
function timeLeft(signal: AbortSignal): number | undefined {
  const deadline = deadlines.get(signal)
  return deadline === undefined ? undefined : deadline - Date.now()
}

/** Ends a call at its deadline, or when its caller aborts, even if the handler continues. */
async function withDeadline<Result>(
  outer: AbortSignal | undefined,
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  deadlines.set(controller.signal, Date.now() + timeoutMs)
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (error: ConnectError): void => {
    controller.abort(error)
    reject(error)
  }
  const timer = setTimeout(
    () => end(new ConnectError('the operation timed out', Code.DeadlineExceeded)),
    Math.max(0, timeoutMs),
  )
  const cancel = (): void => end(ConnectError.from(outer?.reason, Code.Canceled))
  outer?.addEventListener('abort', cancel, { once: true })
  if (outer?.aborted) cancel()
  try {
    return await Promise.race([controller.signal.aborted ? ended : run(controller.signal), ended])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', cancel)
  }
}
