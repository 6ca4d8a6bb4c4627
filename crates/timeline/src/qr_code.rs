//! QR codes: a text as a picture that phones read.

use qrcodegen::{QrCode, QrCodeEcc};

use crate::error::TimelineError;

/// A QR code.
///
/// ```
/// use pacman2_timeline::qr_code::QrPicture;
///
/// let picture = QrPicture::from_text("https://example.org/").unwrap();
/// assert_eq!(picture.modules, 25);
/// // The corner begins with a row of seven dark modules.
/// assert!(picture.dark.starts_with("M0 0h7v1h-7z"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QrPicture {
    /// The number of modules on each side, without the white frame of four that must surround them.
    pub modules: i32,
    /// The dark modules as the data of an SVG path, one unit each.
    pub dark: String,
}

impl QrPicture {
    /// Returns the smallest QR code of a text.
    ///
    /// # Errors
    /// Fails if the text has more bytes than a QR code holds, 2953.
    pub fn from_text(text: &str) -> Result<QrPicture, TimelineError> {
        // It is shown on a screen and has no dirt to cope with. Room that is left is used for a better correction.
        let code =
            QrCode::encode_binary(text.as_bytes(), QrCodeEcc::Low).map_err(|_| TimelineError::TooLongForQrCode(text.len()))?;
        let modules = code.size();
        let mut dark = String::new();
        for y in 0..modules {
            let mut x = 0;
            while x < modules {
                let length = (x..modules).take_while(|&x| code.get_module(x, y)).count();
                if length > 0 {
                    dark += &format!("M{x} {y}h{length}v1h-{length}z");
                }
                x += length as i32 + 1;
            }
        }
        Ok(QrPicture { modules, dark })
    }
}
