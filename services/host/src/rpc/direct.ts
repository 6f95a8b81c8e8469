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
    (request) => invoke(implementations, request as never),
  )
  return {
    // biome-ignore lint/complexity/useMaxParams: the signature is Connect's
    unary: (method, outer, timeoutMs = options.defaultTimeoutMs, header, input, values) => {
      const request = new DirectRequest(method, { header, values, timeoutMs })
      request.message = create(method.input, input)
      return request.run(outer, () => call(request as never) as never)
    },
    // biome-ignore lint/complexity/useMaxParams: the signature is Connect's
    stream: (method, outer, timeoutMs = options.defaultTimeoutMs, header, input, values) => {
      if (method.methodKind !== 'client_streaming') {
        throw new ConnectError(
          'server streaming is not supported between hosted services',
          Code.Unimplemented,
        )
      }
      const request = new DirectRequest(method, { header, values, timeoutMs })
      return request.run(outer, async () => {
        request.message = messagesOf(method.input, input, request.signal)
        try {
          return (await call(request as never)) as never
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

type SentHeader = ConstructorParameters<typeof Headers>[0]

/** A call in memory. Its header and signal are created when they are read: few calls need them. */
class DirectRequest {
  readonly method: Method
  readonly stream: boolean
  readonly requestMethod = 'POST'
  readonly url = ''
  readonly contextValues: ContextValues
  readonly deadline: number
  message: unknown
  readonly #sent: SentHeader
  #header: Headers | undefined
  #controller: AbortController | undefined
  #reason: ConnectError | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #reject: ((reason: ConnectError) => void) | undefined
  #release: (() => void) | undefined

  constructor(
    method: Method,
    sent: { header: SentHeader; values: ContextValues | undefined; timeoutMs: number },
  ) {
    this.method = method
    this.stream = method.methodKind !== 'unary'
    this.contextValues = sent.values ?? createContextValues()
    this.deadline = Date.now() + sent.timeoutMs
    this.#sent = sent.header
  }

  get service(): DescService {
    return this.method.parent
  }

  get header(): Headers {
    this.#header ??= new Headers(this.#sent)
    return this.#header
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  /** Runs the call until its deadline, or until `outer` aborts, even if the handler continues. */
  run<Result>(outer: AbortSignal | undefined, call: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      this.#timer = setTimeout(expire, Math.max(0, this.deadline - Date.now()), this)
      if (outer) this.#endWith(outer)
      if (this.#reason) return
      call().then(
        (response) => {
          this.#stop()
          resolve(response)
        },
        (error) => {
          this.#stop()
          reject(error)
        },
      )
    })
  }

  end(reason: ConnectError): void {
    this.#stop()
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#reject?.(reason)
  }

  #endWith(outer: AbortSignal): void {
    const cancel = (): void => this.end(ConnectError.from(outer.reason, Code.Canceled))
    this.#release = () => outer.removeEventListener('abort', cancel)
    outer.addEventListener('abort', cancel, { once: true })
    if (outer.aborted) cancel()
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#release?.()
  }
}

function expire(request: DirectRequest): void {
  request.end(new ConnectError('the operation timed out', Code.DeadlineExceeded))
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
  request: DirectRequest,
): Promise<AnyResponse> {
  const { method } = request
  const run = implementations.get(method)
  if (!run) throw new ConnectError(`${method.name} is not implemented`, Code.Unimplemented)
  const context = new DirectContext(request)
  const reply = await run(request.message as never, context)
  const message = create<DescMessage>(method.output, reply as never)
  if (!request.stream) return new DirectResponse(context, message) as never
  const { service, responseHeader: header, responseTrailer: trailer } = context
  return { service, method, header, trailer, stream: true, message: streamOfOne(message) } as never
}

class DirectContext implements HandlerContext {
  readonly requestMethod = 'POST'
  readonly protocolName = 'direct'
  readonly url = ''
  readonly #request: DirectRequest
  #responseHeader: Headers | undefined
  #responseTrailer: Headers | undefined

  constructor(request: DirectRequest) {
    this.#request = request
  }

  get service(): DescService {
    return this.#request.service
  }

  get method(): Method {
    return this.#request.method
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  timeoutMs(): number {
    return this.#request.deadline - Date.now()
  }

  get requestHeader(): Headers {
    return this.#request.header
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers()
    return this.#responseHeader
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers()
    return this.#responseTrailer
  }

  get values(): ContextValues {
    return this.#request.contextValues
  }
}

/** The response of a unary call; its headers are created when they are read. */
class DirectResponse {
  readonly stream = false
  readonly message: unknown
  readonly #context: DirectContext

  constructor(context: DirectContext, message: unknown) {
    this.message = message
    this.#context = context
  }

  get service(): DescService {
    return this.#context.service
  }

  get method(): Method {
    return this.#context.method
  }

  get header(): Headers {
    return this.#context.responseHeader
  }

  get trailer(): Headers {
    return this.#context.responseTrailer
  }
}
