// The files of a zip. The browser unpacks them, so that the engine need not. Zips come from strangers: sizes are bounded, names are not
// used, and a zip within a zip stays packed.

const maxFiles = 10000;
const maxUnpacked = 256 * 1048576;
const signature = { file: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 };

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether this is a zip. @param {Uint8Array} bytes */
export function isZip(bytes) {
  return bytes.length > 4 && viewOf(bytes).getUint32(0, true) === signature.file;
}

/** The files of a zip, without folders and hidden files. It throws if the zip is damaged. @param {Uint8Array} zip */
export async function unzip(zip) {
  const view = viewOf(zip);
  let end = zip.length - 22;
  while (view.getUint32(end, true) !== signature.end) end -= 1;
  const count = Math.min(view.getUint16(end + 10, true), maxFiles);
  const files = [];
  let room = maxUnpacked;
  for (let at = view.getUint32(end + 16, true), number = 0; number < count; number += 1) {
    if (view.getUint32(at, true) !== signature.entry) throw new RangeError("the list of files is damaged");
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const path = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + name));
    if (!/(^|\/)(\.[^/]*)?$/.test(path)) {
      const start = view.getUint32(at + 42, true);
      const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
      const packed = zip.subarray(data, data + view.getUint32(at + 20, true));
      const file = await unpack(packed, view.getUint16(at + 10, true), room);
      room -= file.length;
      files.push(file);
    }
    at += 46 + name + extra + comment;
  }
  return files;
}

/** @param {Uint8Array} packed @param {number} method @param {number} room */
async function unpack(packed, method, room) {
  if (method === 0) return packed;
  if (method !== 8) throw new RangeError(`no method ${method} is known`);
  const stream = new Blob([/** @type {BlobPart} */ (packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > room) throw new RangeError("the zip is too large");
    parts.push(value);
  }
}
