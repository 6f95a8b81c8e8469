import { findNonce } from './nonce.ts'

/**
 * Searches for the nonce of a challenge outside the main thread, so that the page stays responsive.
 */
globalThis.onmessage = ({ data }: MessageEvent<{ challenge: string; difficulty: number }>) => {
  postMessage(findNonce(data.challenge, data.difficulty))
}
