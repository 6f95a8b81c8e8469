import { findNonce } from './nonce.ts'

/** Searches for the nonce of a challenge, apart from the thread that draws. */
globalThis.onmessage = ({ data }: MessageEvent<{ challenge: string; difficulty: number }>) => {
  postMessage(findNonce(data.challenge, data.difficulty))
}
