/** Path at which the gateway serves the app: `/`, or the path of COFFER_EXTERNAL_URL. */
export const basePath = document.documentElement.dataset.base ?? '/'
