import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { isSigned } from './aws-signature.ts'

const secret = 'S3RVER'

/** An S3-compatible server with one bucket, and the ledger's settings that select it. */
export interface S3Server extends AsyncDisposable {
  settings: Record<string, string>
  /** Returns the number of PUT requests so far. */
  requests: () => number
  /** Returns the number of requests that were refused because of a wrong signature. */
  refused: () => number
  /** Returns the number of multipart uploads that were begun, but not completed or aborted. */
  unfinished: () => number
  /** Sets whether removals of objects are refused (403). */
  refuseRemovals: (isRefused: boolean) => void
}

/**
 * Starts the S3 server `s3rver` with a temporary folder. `s3rver` accepts any AWS signature, so a
 * handler before it verifies the signature. The handler also aborts multipart uploads, which
 * `s3rver` answers with 405: by 204, as AbortMultipartUpload of S3 does.
 */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'coffer-s3-'))
  const configureBuckets = [{ name: 'coffer' }]
  const listening = { address: '127.0.0.1', port: 0, silent: true }
  const server = new S3rver({ ...listening, directory, configureBuckets })
  const { port } = await server.run()
  let refused = 0
  let requests = 0
  let unfinished = 0
  let keepsAll = false
  const [answer] = server.httpServer.listeners('request')
  server.httpServer.removeAllListeners('request').on('request', (request, response) => {
    if (request.method === 'PUT') requests++
    if (isSigned(request, secret)) {
      const query = new URL(request.url ?? '', 'http://s3').searchParams
      if (request.method === 'POST' && query.has('uploads')) unfinished++
      if (keepsAll && request.method === 'DELETE') return response.writeHead(403).end()
      if (/POST|DELETE/.test(request.method ?? '') && query.has('uploadId')) unfinished--
      if (request.method !== 'DELETE' || !query.has('uploadId')) return answer?.(request, response)
      return response.writeHead(204).end()
    }
    refused++
    response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
  })
  return {
    settings: {
      COFFER_STORAGE: 's3',
      COFFER_STORAGE_BUCKET: 'coffer',
      COFFER_STORAGE_ENDPOINT: `http://127.0.0.1:${port}`,
      COFFER_STORAGE_PATH_STYLE: 'true',
    },
    requests: () => requests,
    refused: () => refused,
    unfinished: () => unfinished,
    refuseRemovals: (isRefused) => {
      keepsAll = isRefused
    },
    [Symbol.asyncDispose]: async () => {
      server.httpServer.closeAllConnections()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Sets the environment variables from which the AWS SDK reads its credentials. */
export function withCredentials(secretAccessKey = secret): void {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER'
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey
}
