/** An answer with a status 2xx. `etag` is the tag of `data`, for `ifMatch`; null without one. */
export interface Answer<Data> {
  data: Data
  etag: string | null
  response: Response
}
