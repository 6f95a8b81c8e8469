import type { FilePart } from '@coffer/proto/ledger/v1/upload'

/** Encodes a multipart form as body and headers; a list may repeat the name of a part. */
export async function formOf(
  parts: Record<string, string | File> | [string, string | File][],
): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const form = new FormData()
  const list = Array.isArray(parts) ? parts : Object.entries(parts)
  for (const [name, part] of list) form.append(name, part)
  const request = new Request('http://coffer.test', { method: 'POST', body: form })
  const type = request.headers.get('content-type') ?? ''
  return { body: Buffer.from(await request.arrayBuffer()), headers: { 'content-type': type } }
}

/** A file that a stub has received. */
export interface TakenFile {
  bankAccountId: string
  name: string
  contentType: string
  text: string
  bodyHash: string
  statements?: { statement: string; bankAccountId: string }[]
  joins?: { uploadIdentifier: string; transactionId: string }[]
}

/** Returns the stub of an RPC that reads a whole file, then answers; `taken` contains the files. */
export function createFileStub<Reply>(answer: () => Reply) {
  const taken: TakenFile[] = []
  const take = async (requests: AsyncIterable<{ part?: FilePart | undefined }>): Promise<Reply> => {
    const file: TakenFile = { bankAccountId: '', name: '', contentType: '', text: '', bodyHash: '' }
    for await (const { part } of requests) {
      const of = part?.of
      if (of?.case === 'start') Object.assign(file, of.value)
      if (of?.case === 'bytes') file.text += Buffer.from(of.value).toString()
      if (of?.case === 'end') {
        file.bodyHash = Buffer.from(of.value.bodyHash).toString('hex')
        file.statements = of.value.statements
        file.joins = of.value.joins
      }
    }
    taken.push(file)
    return answer()
  }
  return { take, taken }
}
