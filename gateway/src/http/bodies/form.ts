import { invalid, refused } from '@coffer/kit/rpc/errors'
import { ConnectError } from '@connectrpc/connect'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { texts as faults } from '../fields/fields.ts'
import { mediaType, wrongType } from './body.ts'
import { bodySizeMax, tooLarge } from './body-bounds.ts'

/** The file of a multipart form. */
export interface Form {
  /** File name, as the client sent it; may be empty. */
  name: string
  contentType: string
  /** The file's bytes as they arrive; can be read once. Throws the refusals of `readForm`. */
  content: AsyncIterable<Uint8Array>
  /**
   * Returns the text of a form part; undefined if it is missing. Call it after `content` has ended.
   */
  readPart: (name: string) => string | undefined
}

/** Schema of a route's `body` that is a form: `readForm` has already validated the form. */
export const formFile = z.custom<Form>()

/** Limits of a multipart form; parts that the route does not read are read and discarded. */
export const formLimits = {
  fileSize: bodySizeMax,
  fieldSize: 256 * 1024,
  files: 4,
  fields: 16,
  parts: 20,
}

/**
 * Reads a multipart form up to the file part `name`, and returns the part; the caller reads its
 * bytes. Throws refused: 415 for another content type, 413 above 6 MiB, 400 for a malformed form, a
 * missing file or a file part with another name. Keeps the text parts in `partNames`, before or
 * after the file.
 */
export async function readForm(
  request: FastifyRequest,
  name: string,
  partNames: readonly string[] = [],
): Promise<Form> {
  if (mediaType(request.headers['content-type']) !== 'multipart/form-data') {
    throw wrongType('multipart/form-data')
  }
  if (Number(request.headers['content-length'] ?? 0) > bodySizeMax) throw tooLarge()
  const texts = new Map<string, string>()
  const files = filesOf(request, { name, partNames, texts })
  const { done, value: file } = await files.next()
  if (done) throw invalid({ [name]: faults.missing })
  // A wrong file part is refused at once, without reading the rest of the form.
  if (file.fieldname !== name) throw invalid({ [file.fieldname]: faults.unknown })
  const content = contentOf(file, files)
  const readPart = (part: string) => texts.get(part)
  return { name: file.filename ?? '', contentType: file.mimetype, content, readPart }
}

async function* filesOf(
  request: FastifyRequest,
  of: { name: string; partNames: readonly string[]; texts: Map<string, string> },
): AsyncGenerator<MultipartFile, undefined> {
  // Also matches by the field name: some clients send a file without file name or media type.
  const isPartAFile = (field?: string, _type?: string, fileName?: string) =>
    field === of.name || fileName !== undefined
  try {
    for await (const part of request.parts({ isPartAFile })) {
      if (part.type === 'file') yield part
      else if (of.partNames.includes(part.fieldname)) {
        const { fieldname, value, valueTruncated } = part
        if (valueTruncated) throw invalid({ [fieldname]: 'must have at most 256 KiB' })
        // The plugin has parsed a part of type application/json: it becomes a text again.
        of.texts.set(fieldname, typeof value === 'string' ? value : JSON.stringify(value))
      }
    }
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Streams the bytes of a file until the end of the form. Throws if a second file follows. */
async function* contentOf(
  { file, fieldname: name }: MultipartFile,
  others: AsyncIterable<MultipartFile>,
): AsyncGenerator<Uint8Array> {
  // Refuses the file (413) at the size limit; otherwise it would first be read to its end.
  file.once('limit', () => file.destroy(tooLarge()))
  try {
    for await (const chunk of file) yield chunk
  } catch (error) {
    throw refusalOf(error)
  }
  for await (const { fieldname } of others) {
    throw invalid({
      [fieldname]: fieldname === name ? 'must be the only file of the form' : faults.unknown,
    })
  }
}

function refusalOf(error: unknown): Error {
  if (error instanceof ConnectError) return error
  const { statusCode, code } = Object(error) as { statusCode?: number; code?: string }
  const isTooLarge = statusCode === 413 && code === 'FST_REQ_FILE_TOO_LARGE'
  return isTooLarge
    ? tooLarge()
    : refused('the body is not a well-formed multipart form: send one part with the file')
}
