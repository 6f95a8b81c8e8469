import { coffer } from './client.ts'
import workerUrl from './proof-of-work.worker.ts?worker&url'

export type Purpose =
  | 'register'
  | 'login'
  | 'forgot'
  | 'resend'
  | 'create_api_key'
  | 'delete_api_key'

interface Solved {
  challenge: string
  nonce: number
}

/** The part of Trusted Types that is used; not every browser has it. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => { createScriptURL: (url: string) => string }
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
const policy = trustedTypes?.createPolicy('coffer', { createScriptURL: ownScript })

/** Returns the proof of work for the body of one request; null if it needs none. */
export async function solveChallenge(purpose: Purpose, isNeeded: boolean): Promise<Solved | null> {
  if (!isNeeded) return null
  const { challenge, difficulty } = (await coffer.createChallenge({ body: { purpose } })).data
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' })
  try {
    return await new Promise<Solved>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve({ challenge, nonce: data })
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage({ challenge, difficulty })
    })
  } finally {
    worker.terminate()
  }
}

function ownScript(url: string): string {
  if (new URL(url, location.href).origin === location.origin) return url
  throw new TypeError(`A script of another origin: ${url}`)
}
