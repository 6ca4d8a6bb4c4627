// The files of a zip. The browser unpacks them, so that the engine need not. Zips come from strangers: sizes are bounded, names are not
// used, and a zip within a zip stays packed.

import { words } from "./language.js";

const zipWords = words(
  {
    damaged: "expected a whole zip, got a cut or damaged one; download or pack it again",
    method: "expected a zip whose files are deflated or stored and have no password; pack it again",
    tooLarge: "expected a zip that unpacks to at most 256 MB, got a larger one; unpack it, and open its files",
  },
  {
    damaged: "zip 不完整或已损坏；请重新下载或打包",
    method: "zip 里的文件应以 deflate 压缩或不压缩，并且没有密码；请重新打包",
    tooLarge: "zip 解压后最多 256 MB，实际更大；请先解压，再打开里面的文件",
  },
);

const maxFiles = 10000;
const maxUnpacked = 256 * 1048576;
/** Folders, hidden files, and texts about the zip. */
const leftOut = /(^|\/)(\.[^/]*)?$|\.md$|(^|\/)(readme|license|说明)[^/]*$/i;
const signature = { file: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 };

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether this is a zip. @param {Uint8Array} bytes */
export function isZip(bytes) {
  return bytes.length > 4 && viewOf(bytes).getUint32(0, true) === signature.file;
}

/** What a zip cannot be opened for, in words. */
class ZipError extends Error {}

/** The files of a zip that may hold matches. It throws if the zip is damaged. @param {Uint8Array} zip */
export async function unzip(zip) {
  try {
    return await filesOf(zip);
  } catch (thrown) {
    throw thrown instanceof ZipError ? thrown : new ZipError(zipWords.damaged);
  }
}

/** @param {Uint8Array} zip */
async function filesOf(zip) {
  const view = viewOf(zip);
  let end = zip.length - 22;
  while (view.getUint32(end, true) !== signature.end) end -= 1;
  const count = Math.min(view.getUint16(end + 10, true), maxFiles);
  const files = [];
  let room = maxUnpacked;
  for (let at = view.getUint32(end + 16, true), number = 0; number < count; number += 1) {
    if (view.getUint32(at, true) !== signature.entry) throw new ZipError(zipWords.damaged);
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const path = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + name));
    const isLink = (view.getUint16(at + 40, true) & 0xf000) === 0xa000;
    if (!leftOut.test(path) && !isLink) {
      const start = view.getUint32(at + 42, true);
      const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
      const packed = zip.subarray(data, data + view.getUint32(at + 20, true));
      const isEncrypted = view.getUint16(at + 8, true) & 1;
      const file = await unpack(packed, isEncrypted ? -1 : view.getUint16(at + 10, true), room);
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
  if (method !== 8) throw new ZipError(zipWords.method);
  const stream = new Blob([/** @type {BlobPart} */ (packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > room) throw new ZipError(zipWords.tooLarge);
    parts.push(value);
  }
}
