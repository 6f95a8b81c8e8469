import { ownScript } from '../offline/own-script.ts'
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

/** Solves a proof of work for one request; null if the request needs none. */
export async function solveChallenge(purpose: Purpose, isNeeded: boolean): Promise<Solved | null> {
  if (!isNeeded) return null
  const { challenge, difficulty } = (await coffer.createChallenge({ body: { purpose } })).data
  const worker = new Worker(ownScript(workerUrl), { type: 'module' })
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
