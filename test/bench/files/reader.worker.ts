import { parentPort, workerData } from 'node:worker_threads'
import { readerOfBalances, startReader } from '../reader.ts'

// Answers each message by the latencies in ms of the reads since the one before.
const read = await readerOfBalances(workerData)
let reader = startReader(read)
parentPort?.on('message', async () => {
  const { took, stop } = reader
  await stop()
  reader = startReader(read)
  parentPort?.postMessage(took())
})
parentPort?.postMessage([])
