import { invalid, refused } from '@coffer/kit/rpc/errors'
import { ConnectError } from '@connectrpc/connect'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mediaType, wrongType } from './body.ts'
import { texts } from './fields.ts'

/** The file of a multipart form. */
export interface Form {
  /** The client's name for it. */
  name: string
  contentType: string
  /** Its bytes as they arrive, once; ends when the form does. Throws like `readForm`. */
  content: AsyncIterable<Uint8Array>
}

/** What a handler gets of a form; `readForm` has checked it. */
export const formFile = z.custom<Form>()

/** Bytes a request may have, whatever it is (spec/identity.md 1.4). */
export const bodySizeMax = 6 * 1024 * 1024

/** Limits of a multipart form; its other parts are read and dropped. */
export const formLimits = {
  fileSize: bodySizeMax,
  fieldSize: 1024,
  files: 4,
  fields: 16,
  parts: 20,
}

/**
 * Reads up to the file part of that name, whose bytes are left to who wants them. Throws what a
 * client gets: 415 for another content type, 413 for too much, 400 for a form that cannot be read,
 * has no such part, or has another file. Parts that are no files are read and dropped.
 */
export async function readForm(request: FastifyRequest, name: string): Promise<Form> {
  if (mediaType(request.headers['content-type']) !== 'multipart/form-data') {
    throw wrongType('multipart/form-data')
  }
  if (Number(request.headers['content-length'] ?? 0) > bodySizeMax) throw tooLarge()
  const files = filesOf(request, name)
  const { done, value: file } = await files.next()
  if (done) throw invalid({ [name]: texts.missing })
  // The form is not read to its end, so that the file may follow.
  if (file.fieldname !== name) throw invalid({ [file.fieldname]: texts.unknown })
  const content = contentOf(file, files)
  return { name: file.filename ?? '', contentType: file.mimetype, content }
}

async function* filesOf(
  request: FastifyRequest,
  name: string,
): AsyncGenerator<MultipartFile, undefined> {
  // Some clients send the file without a file name or a media type.
  const isPartAFile = (field?: string, _type?: string, fileName?: string) =>
    field === name || fileName !== undefined
  try {
    for await (const part of request.parts({ isPartAFile })) {
      if (part.type === 'file') yield part
    }
  } catch (error) {
    throw refusalOf(error)
  }
}

/** The bytes of a file; it is whole once the form has ended without another file. */
async function* contentOf(
  { file, fieldname: name }: MultipartFile,
  others: AsyncIterable<MultipartFile>,
): AsyncGenerator<Uint8Array> {
  // Otherwise it would go on until the client has sent all of it.
  file.once('limit', () => file.destroy(tooLarge()))
  try {
    for await (const chunk of file) yield chunk
  } catch (error) {
    throw refusalOf(error)
  }
  for await (const { fieldname } of others) {
    throw invalid({
      [fieldname]: fieldname === name ? 'must be the only file of the form' : texts.unknown,
    })
  }
}

function refusalOf(error: unknown): Error {
  if (error instanceof ConnectError) return error
  const { statusCode, code } = Object(error) as { statusCode?: number; code?: string }
  const isTooLarge = statusCode === 413 && code === 'FST_REQ_FILE_TOO_LARGE'
  return isTooLarge ? tooLarge() : refused('the form cannot be read')
}

function tooLarge() {
  return refused('the body is larger than 6 MiB', { status: 413 })
}
