/** Header with the span of the last start that joined a running workflow. */
export const linkHeader = 'coffer-trace-link'
