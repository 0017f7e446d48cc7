/* Search from disk: browsers start no worker from a file, so a hidden frame runs the worker's script instead.
   Material for MkDocs knows it by the name IFrameWorker (the shim of that name by Martin Donath does the same,
   but would have to be fetched). */
class IFrameWorker extends EventTarget {
  constructor(url) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    frame.title = "search"
    document.body.append(frame)
    this.inside = frame.contentWindow
    const script = new URL(url, document.baseURI).href.replaceAll('"', "%22")
    this.inside.document.open()
    this.inside.answer = data => this.dispatchEvent(new MessageEvent("message", { data }))
    this.inside.document.write(`<html><body><script>
      postMessage = data => answer(data)
      importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((loaded, failed) => {
        const script = Object.assign(document.createElement("script"), { src: url, onload: loaded, onerror: failed })
        document.body.append(script)
      })), Promise.resolve())
    </script><script src="${script}"></script></body></html>`)
    this.inside.document.close()
  }

  postMessage(data) {
    const deliver = () => this.inside.dispatchEvent(new MessageEvent("message", { data }))
    if (this.inside.document.readyState === "complete") deliver()
    else this.inside.addEventListener("load", deliver, { once: true })
  }

  terminate() {
    this.inside.frameElement.remove()
  }
}

if (location.protocol === "file:") {
  window.IFrameWorker = IFrameWorker
  window.Worker = IFrameWorker
}
