//! Options for the size of figures.

use crate::failure::Failure;
use crate::output::notice;
use clap::Args;
use dfrsim_plots::{Figure, FigureSize};

/// Size of figures on paper.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FigureSizeArguments {
    /// Width of a figure on paper; by default 8.5, a column
    #[arg(long, value_name = "CM", value_parser = length)]
    width: Option<f64>,
    /// Height of a figure on paper, or of each of its panels; by default what its content needs
    #[arg(long, value_name = "CM", value_parser = length)]
    height: Option<f64>,
    /// Size of the letters at axes and in legends; by default 5.2
    #[arg(long, value_name = "PT", value_parser = length)]
    font_size: Option<f64>,
}

/// Parses a positive number.
fn length(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0, without its unit, such as 8.5".to_owned())
}

impl FigureSizeArguments {
    /// Returns the size.
    ///
    /// # Errors
    /// Returns a failure if a figure of this size has no room for its data.
    pub(crate) fn size(&self) -> Result<FigureSize, Failure> {
        FigureSize::new(self.width, self.height, self.font_size)
            .map_err(|message| Failure::input(format!("--width, --height, --font-size: {message}")))
    }
}

/// Prints a notice for a figure that is higher than was asked.
pub(crate) fn notify_of_other_height(figure: &Figure) {
    if let Some(height) = figure.picture.other_height_cm() {
        notice!("{}: is {height:.1} cm high, because its titles, labels and legend need that", figure.stem);
    }
}
